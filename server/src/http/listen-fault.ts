import { type Config, ConfigError } from '../config.ts'

/** Tells why nothing can listen at an address by the variable that has to be changed; any other error stays as it is. */
export function listenFault(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new ConfigError([`PORT ${port} is taken: something else listens at ${host}:${port}`])
    case 'EACCES':
      return new ConfigError([`PORT ${port} is not open to this user`])
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return new ConfigError([`HOST ${host} is not an address of this machine`])
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError([`HOST ${host} cannot be resolved`])
    default:
      return error
  }
}
