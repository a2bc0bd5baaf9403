import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Port 0 asks for any free one. It is chosen before the parts are composed, because public addresses name it. */
export async function choosePort<Given extends { host: string; port: number; publicUrl: string }>(
  given: Given,
): Promise<Given> {
  if (given.port !== 0) return given
  const server = createServer().listen(0, given.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return { ...given, port, publicUrl: given.publicUrl.replace(/:0$/, `:${port}`) }
}
