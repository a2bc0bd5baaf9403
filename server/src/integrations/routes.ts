import { Type } from 'typebox'
import type { App } from '../http/app.ts'
import { freeForm, integrationTypes, oneOf, text } from '../resources/define.ts'
import { readUrlOf } from '../resources/documented-path.ts'
import { type Integration, readActions } from './define.ts'
import { type ImplementedFields, implementedFields } from './implemented-fields.ts'
import { logoUrl } from './logo.ts'
import type { Registry } from './registry.ts'
import { writeOperations } from './write-operations.ts'

/** What can be installed, and what each integration reads. */
export function integrationRoutes(app: App, parts: { registry: Registry }) {
  const infos = new Map(parts.registry.all.map((integration) => [integration, infoOf(integration)]))
  const infoAbout = (integration: Integration) => infos.get(integration)!
  const tags = ['Integrations']

  app.get(
    '/integrations/:integration_type',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'List the integrations of a type',
        params: Type.Object({ integration_type: oneOf(...integrationTypes) }),
        response: { 200: answer },
      },
    },
    async ({ params }) => ({ data: parts.registry.ofType(params.integration_type).map(infoAbout) }),
  )

  app.get(
    '/integrations/:integration_type/:integration_name',
    {
      config: { access: 'key' },
      schema: {
        tags,
        summary: 'Read one integration',
        params: Type.Object({ integration_type: oneOf(...integrationTypes), integration_name: text }),
        response: { 200: answer },
      },
    },
    async ({ params }) => ({ data: [infoAbout(parts.registry.get(params.integration_type, params.integration_name))] }),
  )
}

function infoOf(integration: Integration) {
  return {
    integration_name: integration.name,
    display_name: integration.displayName,
    install_method: integration.install.method,
    description: integration.description,
    logo_url: logoUrl(integration),
    write_operations: writeOperations(integration),
    list_operations: Object.entries(readActions(integration)).map(([name, action]) => ({
      action: name,
      url: readUrlOf(action.resource),
      implemented_fields: implementedFields(action) as Record<string, ImplementedFields>,
    })),
    available_actions: Object.keys(integration.actions),
  }
}

const writeOperation = Type.Object({
  action: text,
  url: text,
  required_base_schema_fields: Type.Array(text),
  optional_base_schema_fields: Type.Array(text),
  integration_specific_fields: Type.Object({
    type: text,
    properties: freeForm,
    required_fields: Type.Array(text),
  }),
})

const listOperation = Type.Object({
  action: text,
  url: text,
  implemented_fields: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "The record's outline with true where this integration fills a field: objects nested, lists of one element, maps under `key`.",
  }),
})

const answer = Type.Object({
  data: Type.Array(
    Type.Object({
      integration_name: text,
      display_name: text,
      install_method: oneOf('input', 'oauth'),
      description: text,
      logo_url: text,
      write_operations: Type.Array(writeOperation),
      list_operations: Type.Array(listOperation),
      available_actions: Type.Array(text),
    }),
  ),
})
