import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Locks of this process; a reference keeps the garbage collector from closing the file and with it the lock. */
const held = new Set<DatabaseSync>()

const sqliteBusy = 5

/**
 * Makes this process the only owner of a cluster, or throws naming the process that is.
 *
 * The lock is SQLite's on an empty file: the kernel drops it with the process however that ends, so neither a
 * killed run nor a reused process id can hold it for ever. `<cluster>.owner` only tells humans who it is.
 */
export function lockCluster(cluster: string, dataDir: string): { release(): void } {
  const ownerFile = `${cluster}.owner`
  const file = open(`${cluster}.lock`)
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    if ((cause as { errcode?: number }).errcode !== sqliteBusy) {
      throw new Error(`${cluster}.lock cannot be locked: ${(cause as Error).message}`, { cause })
    }
    throw new Error(`${dataDir} is already in use by process ${readOwner(ownerFile)}; stop it or use another DATA_DIR`)
  }
  held.add(file)
  // A run of another account may have left the file: it can be replaced, not overwritten.
  rmSync(ownerFile, { force: true })
  writeFileSync(ownerFile, `${process.pid}\n`)
  return {
    release() {
      if (!held.delete(file)) return
      rmSync(ownerFile, { force: true })
      file.close()
    },
  }
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path)
  } catch (cause) {
    throw new Error(`${path} cannot be opened: ${(cause as Error).message}`, { cause })
  }
}

function readOwner(ownerFile: string): string {
  try {
    return readFileSync(ownerFile, 'utf8').trim()
  } catch {
    return '(just starting or stopping)'
  }
}
