/**
 * Names of systems that unified APIs of this kind integrate, in the spelling that their clients already use. Lists and
 * filters of a client that moves here may name them although there is no integration of theirs yet.
 */
export const knownNames: readonly string[] = `
amazon amphora ams amware bdi bergen bigcommerce bleckmann bluebox byrd camelot canary7 capacity cartoncloud
cin7-omni cirro crafty cwr darwynn davinci dcl dear-systems deposco dhl-ecom dhl-express distribution-management
douyin dpd elite-ops etsy excelsior extensiv-3pl-central fabfitfun faire fba fedex fedex-fulfillment ffe finale
flat-fee-shipping flexport flowspace fulfillment fulfillment-lab fulfilmentcrowd g-global gobolt helm-wms
i-fulfilment icreate infoplus itshere jas jazz-central landmark leanafy leanware linnworks logicpod logiwa
logiwa-io mai-fulfillment masonhub mayple mintsoft next3pl nfi nimble nlrp nuorder oia-global ongoing
osa-commerce packem packiyo pattern peoplevox postnord pulpo quiet rjw royal-mail rush-order salesupply sandbox
shipbob shipedge shipfusion shiphero shipmonk shipnetwork shipoffers shipout shipping-and-handling shipping-tree
shippingbo shipstation shipstream shipwire shopify skulabs skusavvy skuvault skyvault smart-warehousing sojo
souko stock-and-trace stord teapplix techship tiktok unis unleashed ups usps veeqo veracore vertical-cold vox
walmart warehance wayfair whiplash woocommerce xb-fulfillment xorosoft zenventory
`
  .trim()
  .split(/\s+/)
