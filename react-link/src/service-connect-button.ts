import { type CSSProperties, createElement, type ReactElement, type ReactNode } from 'react'
import type { ServiceLinkConfig } from './config.ts'
import { useServiceLink } from './use-service-link.ts'

export interface ServiceConnectButtonProps extends ServiceLinkConfig {
  children?: ReactNode
  className?: string
  style?: CSSProperties
  disabled?: boolean
}

/** A button that opens the install window; disabled when the script cannot be loaded. */
export function ServiceConnectButton(props: ServiceConnectButtonProps): ReactElement {
  const { children, className, style, disabled = false, ...config } = props
  const { error, open } = useServiceLink(config)
  return createElement(
    'button',
    {
      type: 'button',
      id: config.buttonId,
      className,
      style,
      disabled: disabled || error !== null,
      onClick: () => open(),
    },
    children ?? labels[config.integrationType ?? 'wms'],
  )
}

const labels = {
  wms: 'Connect WMS',
  cart: 'Connect Cart',
  carrier: 'Connect Carrier',
  freight: 'Connect Freight Forwarder',
  erp: 'Connect ERP',
}
