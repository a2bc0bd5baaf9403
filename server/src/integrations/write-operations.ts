import type { TSchema } from 'typebox'
import { urlOf } from '../resources/define-write.ts'
import { type Integration, type WriteAction, writeActions } from './define.ts'
import { fieldsByPath } from './fields-by-path.ts'

/** What an integration writes and which fields it takes, as the description of the integration tells it. */
export function writeOperations(integration: Integration) {
  return writeActions(integration).map((action) => {
    const fields = fieldsByPath(action.body)
    const isSpecific = (path: string) => action.specificPaths.includes(path)
    const paths = (wanted: boolean, specific: boolean) =>
      [...fields].flatMap(([path, { required }]) => (required === wanted && isSpecific(path) === specific ? path : []))
    return {
      action: action.write.action,
      url: urlOf(action.write),
      required_base_schema_fields: paths(true, false),
      optional_base_schema_fields: paths(false, false),
      integration_specific_fields: {
        type: 'object',
        properties: Object.fromEntries(
          action.specificPaths.map((path) => [path, specificField(action, path, fields.get(path)!.schema)]),
        ),
        required_fields: paths(true, true),
      },
    }
  })
}

function specificField(action: WriteAction, path: string, schema: TSchema) {
  const { title = path, type, description, example, enum: values } = schema as Record<string, unknown>
  const enumeration = path in action.choices ? [connectFirst] : values
  return { title, type, description, example, enum: enumeration }
}

const connectFirst = 'The values are those of a connection; read write-info with its access token.'
