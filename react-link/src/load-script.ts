import type { OpenOptions, ServiceLinkConfig } from './config.ts'

/** One instance of the script, `window["Service" + buttonId]`. */
export interface ServiceInstance {
  state: { isLoaded: boolean }
  open(options?: OpenOptions): void
  close(): void
}

type ScriptConfig = Omit<ServiceLinkConfig, 'onSuccess'> & {
  onSuccess(authCode: string, integrationName: string): void
}

export const instanceOf = (buttonId: string) =>
  (window as unknown as Record<string, ServiceInstance | undefined>)[`Service${buttonId}`]

export const initialize = (config: ScriptConfig) =>
  (window as unknown as { Service: { init(config: ScriptConfig): void } }).Service.init(config)

/**
 * Loads `link.js` once, however many ask for it.
 * @param serviceUrl where Crossdock runs; undefined where the page has a tag of its own
 * @throws Error when there is no such tag, or the script cannot be loaded
 */
export function loadScript(serviceUrl: string | undefined): Promise<void> {
  if ('Service' in window) return Promise.resolve()
  const address = serviceUrl === undefined ? addressOnPage() : `${serviceUrl.replace(/\/+$/, '')}/link.js`
  if (address === undefined) {
    return Promise.reject(new Error('serviceUrl is missing, and this page does not load link.js itself'))
  }
  const known = loading.get(address)
  if (known) return known
  const promise = load(address).catch((error) => {
    loading.delete(address)
    throw error
  })
  loading.set(address, promise)
  return promise
}

const loading = new Map<string, Promise<void>>()

const addressOnPage = () =>
  [...document.querySelectorAll<HTMLScriptElement>('script[src]')].find(({ src }) =>
    new URL(src).pathname.endsWith('/link.js'),
  )?.src

/** By a tag of its own: one that is on the page already may have failed, and says so no more. Loading twice is harmless. */
function load(address: string): Promise<void> {
  const tag = document.createElement('script')
  tag.src = address
  return new Promise((resolve, reject) => {
    tag.addEventListener('load', () => resolve())
    tag.addEventListener('error', () => {
      tag.remove()
      reject(new Error(`${tag.src} cannot be loaded`))
    })
    document.head.append(tag)
  })
}
