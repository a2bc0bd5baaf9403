import type { FrameMessage, Settings, StartMessage } from './protocol.ts'

/** Where the page stands: inside another page's window, or alone at the address of a magic link. */
export interface Host {
  /** @returns what opens the page, or null when the embedding page could not get a link token */
  open(): Promise<{ secret: string; settings: Settings } | null>
  succeed(authCode: string | null, integrationName: string): void
  /** Null where there is no window to close. */
  close: (() => void) | null
}

export const isFrame = () => location.pathname.endsWith('/frame')

export function magicLinkHost(): Host {
  const secret = location.pathname.split('/').at(-1) ?? ''
  return { open: async () => ({ secret, settings: {} }), succeed: () => {}, close: null }
}

/**
 * Speaks to the page that embeds this one. Its origin stands in the address, the server lets no other origin embed it,
 * and messages go to that origin and are taken from it alone.
 */
export function frameHost(): Host {
  const origin = new URLSearchParams(location.search).get('origin') ?? ''
  const say = (message: FrameMessage) => {
    if (parent !== window) parent.postMessage(message, origin)
  }
  return {
    open: () =>
      new Promise((resolve) => {
        const listen = (event: MessageEvent<StartMessage | null>) => {
          if (event.source !== parent || event.origin !== origin) return
          if (event.data?.source !== 'service-link' || event.data.type !== 'start') return
          removeEventListener('message', listen)
          const { linkToken, settings } = event.data
          resolve(linkToken === null ? null : { secret: linkToken, settings })
        }
        addEventListener('message', listen)
        say({ source: 'service-link', type: 'ready' })
      }),
    succeed(authCode, integrationName) {
      if (authCode !== null) say({ source: 'service-link', type: 'success', authCode, integrationName })
    },
    close: () => say({ source: 'service-link', type: 'close' }),
  }
}
