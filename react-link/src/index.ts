export type { OpenOptions, ServiceLinkConfig } from './config.ts'
export { ServiceConnectButton, type ServiceConnectButtonProps } from './service-connect-button.ts'
export { type ServiceLink, useServiceLink } from './use-service-link.ts'
