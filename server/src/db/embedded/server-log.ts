import { open, rename } from 'node:fs/promises'

export interface ServerLog {
  fd: number
  /** What was written since the last call. */
  read(): Promise<string>
  close(): Promise<void>
}

/** Opens a fresh log for a run of the server; the last run's stays as `<path>.1`. */
export async function openServerLog(path: string): Promise<ServerLog> {
  await rename(path, `${path}.1`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  const file = await open(path, 'ax+', 0o600)
  let position = 0
  return {
    fd: file.fd,
    async read() {
      const length = (await file.stat()).size - position
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
      position += bytesRead
      return buffer.toString('utf8', 0, bytesRead)
    },
    close: () => file.close(),
  }
}
