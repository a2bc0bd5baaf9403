import { useCallback, useEffect, useId, useRef, useState } from 'react'
import type { OpenOptions, ServiceLinkConfig } from './config.ts'
import { initialize, instanceOf, loadScript } from './load-script.ts'

export interface ServiceLink {
  /** Why the script could not be loaded. */
  error: Error | null
  /** Opens the window, as soon as the script is there. */
  open(options?: OpenOptions): void
  close(): void
}

/** The install window, for a button of your own. The configuration may change at any time; callbacks are the latest. */
export function useServiceLink(config: ServiceLinkConfig): ServiceLink {
  const madeUp = useId()
  const buttonId = config.buttonId ?? madeUp
  const latest = useRef(config)
  const wanted = useRef<OpenOptions | null>(null)
  const [loaded, setLoaded] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const { serviceUrl } = config

  useEffect(() => {
    let gone = false
    setError(null)
    loadScript(serviceUrl).then(
      () => gone || setLoaded(true),
      (reason: Error) => gone || setError(reason),
    )
    return () => {
      gone = true
    }
  }, [serviceUrl])

  const close = useCallback(() => instanceOf(buttonId)?.close(), [buttonId])

  useEffect(() => {
    latest.current = config
    if (!loaded) return
    initialize({
      ...config,
      buttonId,
      getLinkToken: () => latest.current.getLinkToken(),
      onSuccess: (authCode, integrationName) => latest.current.onSuccess(authCode, integrationName, close),
      onClose: () => latest.current.onClose?.(),
      onLoad: () => latest.current.onLoad?.(),
    })
    if (wanted.current) instanceOf(buttonId)?.open(wanted.current)
    wanted.current = null
  })

  useEffect(() => close, [close])

  const open = useCallback(
    (options: OpenOptions = {}) => {
      const instance = instanceOf(buttonId)
      if (instance) instance.open(options)
      else wanted.current = options
    },
    [buttonId],
  )

  return { error, open, close }
}
