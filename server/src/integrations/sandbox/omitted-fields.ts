/** Fields of the unified records that the simulated warehouse knows nothing of. */
export const inboundShipments = ['ship_from_address.address3', 'external_system_url', 'additional_fields']

export const inventory = ['external_system_url', 'additional_fields']

export const orders = [
  'first_party_freight_account_number',
  'ship_to_address.address3',
  'shipments.ship_to_address.address3',
  'shipments.ship_from_address.address3',
  'external_system_url',
]

export const products = ['external_system_url', 'additional_fields']

export const returns = ['external_system_url']

export const warehouseLocations = ['measurements.weight', 'measurements.weight_unit', 'additional_fields']

export const warehouses = ['address.address3', 'additional_fields']

/** Of what has all else. */
export const additional = ['additional_fields']
