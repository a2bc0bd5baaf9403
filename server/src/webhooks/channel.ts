/** PostgreSQL notifies here when deliveries are due now. */
export const deliveriesChannel = 'webhook_deliveries'
