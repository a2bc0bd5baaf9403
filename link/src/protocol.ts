/** What the embedding page may say about an install; plain data, sent to the frame as it is. */
export interface Settings {
  integrationType?: string
  integrationAllowList?: string[]
  integrationBlockList?: string[]
  integrationsWithEndpoints?: string[]
  disabledFunctions?: string[]
  sandbox?: boolean
  /** An https address. */
  logo?: string
  /** The integration to begin with. */
  integrationId?: string
}

/** Frame → embedding page. `ready` is said again to ask for another link token. */
export type FrameMessage = { source: 'service-link' } & (
  | { type: 'ready' }
  | { type: 'success'; authCode: string; integrationName: string }
  | { type: 'close' }
)

/** Embedding page → frame. The link token is null when the page could not get one. */
export interface StartMessage {
  source: 'service-link'
  type: 'start'
  linkToken: string | null
  settings: Settings
}
