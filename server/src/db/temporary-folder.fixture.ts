import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from '../clean-up.fixture.ts'

/** A new folder, named with `name`, that the embedded PostgreSQL's own account may enter, so that the cluster stays inside it. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `crossdock-${name}-`))
  await chmod(folder, 0o755)
  return folder
}

/** A folder that goes with its test, once what was started after it has stopped. */
export async function makeFolder(t: TestContext, owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await temporaryFolder('test')
  if (owner) await chown(folder, owner.uid, owner.gid)
  cleanUp(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}
