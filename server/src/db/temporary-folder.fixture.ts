import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder, named with `name`, that the embedded PostgreSQL's own account may enter, so that the cluster stays inside it. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `crossdock-${name}-`))
  await chmod(folder, 0o755)
  return folder
}
