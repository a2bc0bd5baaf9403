import { chown, rm } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../../server/src/db/temporary-folder.fixture.ts'
import { cleanUp } from './clean-up.ts'

/** A folder that goes with its test, once what was started after it has stopped. */
export async function makeFolder(t: TestContext, owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await temporaryFolder('product')
  if (owner) await chown(folder, owner.uid, owner.gid)
  cleanUp(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}
