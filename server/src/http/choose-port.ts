import { freePort } from '../free-port.ts'
import { listenFault } from './listen-fault.ts'

/**
 * Port 0 asks for any free one. It is chosen before the parts are composed, because public addresses name it.
 * @throws ConfigError where nothing can listen at the host
 */
export async function choosePort<Given extends { host: string; port: number; publicUrl: string }>(
  given: Given,
): Promise<Given> {
  if (given.port !== 0) return given
  const port = await freePort(given.host).catch((error) => Promise.reject(listenFault(error, given)))
  return { ...given, port, publicUrl: given.publicUrl.replace(/:0$/, `:${port}`) }
}
