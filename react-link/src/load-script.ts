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
 * Loads `link.js` once, however many ask for it; a tag that is on the page already is used.
 * @param serviceUrl where Crossdock runs; undefined where the page has such a tag
 */
export function loadScript(serviceUrl: string | undefined): Promise<void> {
  if ('Service' in window) return Promise.resolve()
  const address = serviceUrl === undefined ? null : `${serviceUrl.replace(/\/+$/, '')}/link.js`
  const known = loading.get(address)
  if (known) return known
  const promise = awaitTag(tagOf(address)).catch((error) => {
    loading.delete(address)
    throw error
  })
  loading.set(address, promise)
  return promise
}

const loading = new Map<string | null, Promise<void>>()

function tagOf(address: string | null): HTMLScriptElement | null {
  const there = [...document.querySelectorAll<HTMLScriptElement>('script[src]')].find(({ src }) =>
    address === null ? new URL(src).pathname.endsWith('/link.js') : src === new URL(address, location.href).href,
  )
  if (there || address === null) return there ?? null
  const made = document.createElement('script')
  made.src = address
  made.async = true
  document.head.append(made)
  return made
}

function awaitTag(tag: HTMLScriptElement | null): Promise<void> {
  if (!tag) return Promise.reject(new Error('serviceUrl is missing, and this page does not load link.js itself'))
  return new Promise((resolve, reject) => {
    tag.addEventListener('load', () => resolve())
    tag.addEventListener('error', () => {
      tag.remove()
      reject(new Error(`${tag.src} cannot be loaded`))
    })
  })
}
