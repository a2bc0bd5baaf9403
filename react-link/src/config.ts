/** What an install is configured with; everything but the first two may be left out. */
export interface ServiceLinkConfig {
  /** Asks your own server for a link token, each time the window opens. */
  getLinkToken(): Promise<string>
  /** An integration was installed; your server exchanges the code for the access token. */
  onSuccess(authCode: string, integrationName: string, close: () => void): void
  onClose?(): void
  onLoad?(): void
  /** Where Crossdock runs; not needed on pages that load its `link.js` themselves. */
  serviceUrl?: string
  /** `wms` unless given. */
  integrationType?: 'wms' | 'cart' | 'carrier' | 'freight' | 'erp'
  /** Names of integrations; a single one leads straight to its form. Together with a block list neither counts. */
  integrationAllowList?: string[]
  integrationBlockList?: string[]
  /** Only integrations that have all of these functions. */
  integrationsWithEndpoints?: string[]
  /** Functions switched off beside those of the organization. */
  disabledFunctions?: string[]
  /** Offers the sandbox. */
  sandbox?: boolean
  /** https address of a logo, instead of the organization's. */
  logo?: string
  /** Names the instance; made up unless given. */
  buttonId?: string
}

export interface OpenOptions {
  /** Begins with this integration. */
  integrationId?: string
}
