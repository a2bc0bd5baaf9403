import type { FrameMessage, Settings, StartMessage } from './protocol.ts'

/** What `window.Service.init` takes. */
interface Config extends Omit<Settings, 'integrationId'> {
  getLinkToken(): Promise<string> | string
  onSuccess(authCode: string, integrationName: string): void
  onClose?(): void
  onLoad?(): void
  /** Names an instance of its own, `window["Service" + buttonId]`. */
  buttonId?: string
}

interface Instance {
  state: { isLoaded: boolean }
  open(options?: { integrationId?: string }): void
  close(): void
}

type Global = Record<string, (Instance & { init?(config: Config): void }) | undefined>

// Whatever stands outside of this function would be a name taken from the page.
;(() => {
  const global = window as unknown as Global
  if (global.Service?.init) return
  const base = new URL('.', (document.currentScript as HTMLScriptElement).src)
  const configure = new WeakMap<Instance, (config: Config) => void>()
  const service = createInstance()
  global.Service = Object.assign(service, { init })

  /** May be called again whenever the configuration changes, also while the window is open. */
  function init(config: Config): void {
    const key = `Service${config.buttonId ?? ''}`
    global[key] ??= createInstance()
    configure.get(global[key])?.(config)
  }

  function createInstance(): Instance {
    const state = { isLoaded: false }
    let config: Config
    let closeDialog: (() => void) | null = null
    const close = () => closeDialog?.()
    const open = ({ integrationId }: { integrationId?: string } = {}) => {
      if (!state.isLoaded) return console.error('Service: call init before open')
      closeDialog ??= openDialog(
        () => config,
        integrationId,
        () => {
          closeDialog = null
          config.onClose?.()
        },
      )
    }
    const instance = { state, open, close }
    configure.set(instance, (given) => {
      const first = !state.isLoaded
      config = given
      state.isLoaded = true
      if (first) queueMicrotask(() => config.onLoad?.())
    })
    return instance
  }

  /** @returns what closes the dialog again */
  function openDialog(config: () => Config, integrationId: string | undefined, onClose: () => void): () => void {
    const dialog = document.createElement('dialog')
    const frame = document.createElement('iframe')
    let ready = false
    dialog.setAttribute('aria-label', 'Connect a system')
    dialog.style.cssText = dialogStyle
    frame.title = 'Connect a system'
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = frameStyle
    frame.src = frameAddress()

    const start = async () => {
      const linkToken = await Promise.resolve()
        .then(() => config().getLinkToken())
        .catch((error) => {
          console.error('Service: getLinkToken failed', error)
          return null
        })
      const message: StartMessage = {
        source: 'service-link',
        type: 'start',
        linkToken,
        settings: settingsOf(config(), integrationId),
      }
      frame.contentWindow?.postMessage(message, base.origin)
    }
    const listen = ({ source, origin, data }: MessageEvent<FrameMessage | null>) => {
      if (source !== frame.contentWindow || origin !== base.origin || data?.source !== 'service-link') return
      if (data.type === 'ready') {
        ready = true
        void start()
      }
      if (data.type === 'success') config().onSuccess(data.authCode, data.integrationName)
      if (data.type === 'close') close()
    }
    const close = () => {
      if (!dialog.isConnected) return
      removeEventListener('message', listen)
      dialog.close()
      dialog.remove()
      onClose()
    }
    // A window that never came up can still be left; later a slip beside it must not cost what was typed.
    dialog.addEventListener('click', () => ready || close())
    dialog.addEventListener('close', close)
    addEventListener('message', listen)
    dialog.append(frame)
    // a page may open it before it has a body
    ;(document.body ?? document.documentElement).append(dialog)
    dialog.showModal()
    frame.focus()
    return close
  }

  /** The frame lets itself be embedded by the pages named here alone, and speaks to `origin` alone. */
  function frameAddress(): string {
    const address = new URL('link/frame', base)
    address.searchParams.set('origin', location.origin)
    address.searchParams.set('ancestors', [...(location.ancestorOrigins ?? [])].join(' '))
    return address.href
  }

  function settingsOf(config: Config, integrationId: string | undefined): Settings {
    const { integrationType, sandbox, logo } = config
    const { integrationAllowList, integrationBlockList, integrationsWithEndpoints, disabledFunctions } = config
    const settings = {
      ...{ integrationType, sandbox, logo, integrationId },
      ...{ integrationAllowList, integrationBlockList, integrationsWithEndpoints, disabledFunctions },
    }
    // only plain data can be sent
    return JSON.parse(JSON.stringify(settings))
  }

  const dialogStyle = [
    'all: initial',
    'position: fixed',
    'inset: 0',
    'box-sizing: border-box',
    'width: 100vw',
    'height: 100dvh',
    'max-width: none',
    'max-height: none',
    'display: grid',
    'place-items: center',
    'overscroll-behavior: contain',
    'background: rgb(10 12 16 / 55%)',
  ].join(';')

  /** A card of its own size, the whole screen of a phone. */
  const frameStyle = [
    'color-scheme: light dark',
    'width: min(100%, 30rem)',
    'height: min(100%, max(44rem, (30rem - 100vw) * 999))',
    'border: 0',
    'border-radius: clamp(0px, (100vw - 30rem) * 999, 16px)',
    'background: Canvas',
    'box-shadow: 0 24px 64px rgb(0 0 0 / 28%)',
  ].join(';')
})()
