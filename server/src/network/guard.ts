import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { Agent } from 'undici'

/**
 * Keeps addresses that customers enter from leading into our own network. A resolver hook is never asked about IP
 * literals and a check of the URL never sees what a name resolves to, so both are needed: `agentFor` does both.
 */
export interface NetworkGuard {
  /** Throws `ForbiddenAddress` for a URL that must not be asked; says nothing yet of what its name resolves to. */
  checkUrl(url: string | URL): void
  /** Resolves like `dns.lookup`, failing with `ForbiddenAddress` when any address of the name is forbidden. */
  readonly lookup: LookupFunction
  /** The process-wide keep-alive agent to reach this URL with; throws like `checkUrl`, and its connections use `lookup`. */
  agentFor(url: string | URL): Agent
}

export interface NetworkGuardOptions {
  /** Lets every http(s) address through. */
  allowPrivateNetwork: boolean
  /** Origins of our own (`http://127.0.0.1:4001`) that are let through wherever they lead. */
  trustedOrigins: readonly string[]
  /** Asked for the addresses of guarded names; the system resolver by default. */
  resolve?: Resolve
}

/** All addresses of a name. */
export type Resolve = (hostname: string, options: LookupOptions) => Promise<readonly LookupAddress[]>

/** The message may be shown to the organization; it never tells what a name resolved to. */
export class ForbiddenAddress extends Error {
  constructor(reason: string) {
    super(`This address is not allowed: ${reason}`)
    this.name = 'ForbiddenAddress'
  }
}

export function createNetworkGuard(options: NetworkGuardOptions): NetworkGuard {
  const { allowPrivateNetwork, resolve = resolveByDns } = options
  const trusted = new Set(options.trustedOrigins.map((origin) => new URL(origin).origin))

  function checked(url: string | URL): { url: URL; exempt: boolean } {
    const parsed = URL.parse(String(url))
    if (!parsed) throw new ForbiddenAddress('it is not a valid URL')
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
      throw new ForbiddenAddress('it must begin with https:// or http://')
    }
    if (parsed.username || parsed.password) {
      throw new ForbiddenAddress('a user name or password may not be part of it')
    }
    const exempt = allowPrivateNetwork || trusted.has(parsed.origin)
    if (!exempt) checkHost(parsed.hostname)
    return { url: parsed, exempt }
  }

  return {
    checkUrl(url) {
      checked(url)
    },
    lookup: allowPrivateNetwork ? lookupWith(resolve) : lookupWith(resolve, checkAddresses),
    agentFor: (url) => (checked(url).exempt ? openAgent : guardedAgent(resolve)),
  }
}

/** Whether an IP address lies outside the public internet. */
function isForbidden(address: string): boolean {
  if (isIP(address) === 4) return forbidden.check(address, 'ipv4')
  return !publicV6.check(address, 'ipv6') || forbidden.check(address, 'ipv6')
}

function checkHost(hostname: string): void {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost') || (isIP(host) && isForbidden(host))) {
    throw new ForbiddenAddress(`${host} lies in a private or reserved network`)
  }
}

function checkAddresses(hostname: string, addresses: readonly LookupAddress[]): void {
  if (addresses.some(({ address }) => isForbidden(address))) {
    throw new ForbiddenAddress(`${hostname} leads into a private or reserved network`)
  }
}

function lookupWith(resolve: Resolve, check?: typeof checkAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options)
      .then((addresses) => {
        check?.(hostname, addresses)
        const first = addresses[0]
        if (!first)
          throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
        return { addresses, first }
      })
      .then(
        ({ addresses, first }) => {
          if (options.all) callback(null, [...addresses])
          else callback(null, first.address, first.family)
        },
        (error) => callback(error, ''),
      )
  }
}

const lookupAll = promisify(dnsLookup)
const resolveByDns: Resolve = (hostname, options) => lookupAll(hostname, { ...options, all: true })

// Callers bound the whole attempt themselves; undici's own time-outs would only cut long answers short.
const agentOptions = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 4_000 } satisfies Agent.Options

// Two pools, so that a guarded call never reuses a connection that was opened without the guard.
const openAgent = new Agent(agentOptions)
const guardedAgents = new WeakMap<Resolve, Agent>()

function guardedAgent(resolve: Resolve): Agent {
  let agent = guardedAgents.get(resolve)
  if (!agent) {
    agent = new Agent({ ...agentOptions, connect: { lookup: lookupWith(resolve, checkAddresses) } })
    guardedAgents.set(resolve, agent)
  }
  return agent
}

// IANA special-purpose registries, plus Azure's metadata address, which is a public one.
const forbiddenV4: readonly [net: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

// Everything outside these is loopback, local, multicast, v4-mapped or unassigned.
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')
publicV6.addSubnet('64:ff9b::', 96, 'ipv6')

const forbidden = new BlockList()
for (const [net, prefix] of forbiddenV4) {
  const hex = net.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
  const embedded = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`
  forbidden.addSubnet(net, prefix, 'ipv4')
  forbidden.addSubnet(`64:ff9b::${embedded}`, 96 + prefix, 'ipv6') // NAT64
  forbidden.addSubnet(`2002:${embedded}::`, 16 + prefix, 'ipv6') // 6to4
}
forbidden.addSubnet('2001::', 23, 'ipv6') // Teredo, benchmarking, ORCHID
forbidden.addSubnet('2001:db8::', 32, 'ipv6')
forbidden.addSubnet('3fff::', 20, 'ipv6')
