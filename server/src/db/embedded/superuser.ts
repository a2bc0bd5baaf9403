import { randomBytes } from 'node:crypto'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

export const superuser = 'crossdock'

/** Draws a password and keeps it in `<dataDir>/postgres-password`, on disk before this returns. */
export async function generatePassword(dataDir: string): Promise<string> {
  const password = randomBytes(32).toString('base64url')
  await rm(passwordFile(dataDir), { force: true })
  const file = await open(passwordFile(dataDir), 'wx', 0o600)
  try {
    await file.writeFile(`${password}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return password
}

export async function readPassword(dataDir: string): Promise<string> {
  try {
    return (await readFile(passwordFile(dataDir), 'utf8')).trim()
  } catch (cause) {
    throw new Error(`The password of the PostgreSQL cluster cannot be read from ${passwordFile(dataDir)}`, { cause })
  }
}

const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password')
