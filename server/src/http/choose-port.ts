import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { listenFault } from './listen-fault.ts'

/**
 * Port 0 asks for any free one. It is chosen before the parts are composed, because public addresses name it.
 * @throws ConfigError where nothing can listen at the host
 */
export async function choosePort<Given extends { host: string; port: number; publicUrl: string }>(
  given: Given,
): Promise<Given> {
  if (given.port !== 0) return given
  const server = createServer().listen(0, given.host)
  await once(server, 'listening').catch((error) => Promise.reject(listenFault(error, given)))
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return { ...given, port, publicUrl: given.publicUrl.replace(/:0$/, `:${port}`) }
}
