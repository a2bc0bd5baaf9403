import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanUp } from './clean-up.ts'

/** A folder that goes with its test, once what was started after it has stopped. */
export async function makeFolder(t: TestContext, owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crossdock-product-'))
  // PostgreSQL's account may enter
  await chmod(folder, 0o755)
  if (owner) await chown(folder, owner.uid, owner.gid)
  cleanUp(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}
