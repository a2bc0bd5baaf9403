import { type Static, Type } from 'typebox'
import type { Db } from '../db/schema.ts'
import type { BodyFault } from '../http/validation.ts'
import { flag, nullable, oneOf, text, textOrNull, timestamp } from '../resources/define.ts'
import { flows, requestableTypes } from './flows.ts'

/** More than anybody types; whoever has a link may send it. */
const longest = 20_000
const given = nullable(Type.String({ maxLength: longest }))

/** A wish for an integration that there is not yet. */
export const integrationRequest = Type.Object(
  {
    integration_type: oneOf(...requestableTypes),
    integration_name: Type.String({ minLength: 1, maxLength: longest }),
    flows: Type.Array(text, {
      minItems: 1,
      maxItems: 1000,
      description: 'Out of `GET /integration-requests/flows`, by type.',
    }),
    integration_contact_email: Type.Optional(given),
    brand_name: Type.Optional(given),
    brand_contact_email: Type.Optional(given),
    api_docs_url: Type.Optional(given),
    api_docs_via_email: Type.Optional(flag),
    prod_creds_url: Type.Optional(given),
    sandbox_creds_url: Type.Optional(given),
    notes: Type.Optional(given),
  },
  { additionalProperties: false },
)

export type IntegrationRequest = Static<typeof integrationRequest>

/** A request as the operator reads it. */
export const storedRequest = Type.Object({
  id: text,
  organization_id: text,
  integration_type: text,
  integration_name: text,
  flows: Type.Array(text),
  integration_contact_email: textOrNull,
  brand_name: textOrNull,
  brand_contact_email: textOrNull,
  api_docs_url: textOrNull,
  api_docs_via_email: nullable(flag),
  prod_creds_url: textOrNull,
  sandbox_creds_url: textOrNull,
  notes: textOrNull,
  created_at: timestamp,
})

/** Flows that their type does not have. */
export function flowFaults({ integration_type: type, flows: wanted }: Partial<IntegrationRequest>): BodyFault[] {
  const known: readonly string[] | undefined = type && Object.hasOwn(flows, type) ? flows[type] : undefined
  if (!known || !Array.isArray(wanted)) return []
  return [...wanted.entries()]
    .filter(([, flow]) => typeof flow === 'string' && !known.includes(flow))
    .map(([i]) => ({ at: ['flows', String(i)], message: `Must be one of: ${known.join(', ')}.` }))
}

export async function fileIntegrationRequest(db: Db, organizationId: string, request: IntegrationRequest) {
  await db
    .insertInto('integration_requests')
    .values({ ...request, organization_id: organizationId })
    .execute()
}

/** Newest first. @param after `created_at` and id of the last one had */
export async function listIntegrationRequests(db: Db, after: readonly string[] | null, limit: number) {
  return db
    .selectFrom('integration_requests')
    .selectAll()
    .$if(after !== null, (query) =>
      query.where((on) => on(on.refTuple('created_at', 'id'), '<', on.tuple(new Date(after![0]!), after![1]!))),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
