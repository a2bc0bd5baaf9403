import type { TSchema } from 'typebox'
import type { Integration, WriteAction } from '../integrations/define.ts'
import { pascal } from '../integrations/narrow-body.ts'
import { documentedPath } from '../resources/documented-path.ts'
import type { Choices } from './choices.ts'

/**
 * The OpenAPI 3.1.0 document of what an integration writes: exactly the bodies that are accepted.
 * @param choicesOf the values a connection allows; without, the document says that they are a connection's own
 */
export function writeInfo(
  { displayName }: Integration,
  actions: readonly WriteAction[],
  choicesOf: ((action: WriteAction) => Choices) | null,
) {
  const paths: Record<string, Record<string, object>> = {}
  for (const { write, body } of actions) {
    const path = documentedPath(write.path)
    paths[path] = { ...paths[path], [write.method.toLowerCase()]: operation(write, hasFields(body)) }
  }
  return {
    openapi: '3.1.0',
    info: { title: `Write operations of ${displayName}`, version: '0.1.0' },
    paths,
    components: {
      schemas: Object.fromEntries(
        actions
          .filter(({ body }) => hasFields(body))
          .map((action) => [pascal(action.write.action), documented(action, choicesOf?.(action) ?? null)]),
      ),
    },
  }
}

const hasFields = (body: WriteAction['body']) => Object.keys(body.properties).length > 0

function operation({ action, summary, itemParameter, multipart }: WriteAction['write'], hasBody: boolean) {
  return {
    operationId: action,
    summary,
    ...(itemParameter && {
      parameters: [{ name: itemParameter, in: 'path', required: true, schema: { type: 'string' } }],
    }),
    ...(hasBody && {
      requestBody: {
        required: true,
        content: {
          [multipart ? 'multipart/form-data' : 'application/json']: {
            schema: { $ref: `#/components/schemas/${pascal(action)}` },
          },
        },
      },
    }),
    responses: { 200: { description: multipart ? '`success`' : 'The record as it is after the write' } },
  }
}

function documented(action: WriteAction, choices: Choices | null): object {
  function at(schema: TSchema, path: string): TSchema {
    const { errorMessage: _, maxBytes, items, properties, ...rest } = schema as Record<string, unknown>
    return {
      ...rest,
      ...(maxBytes !== undefined && { maxLength: maxBytes }),
      ...(items !== undefined && { items: at(items as TSchema, path) }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as Record<string, TSchema>).map(([name, field]) => {
            const inner = path ? `${path}.${name}` : name
            return [name, inner in action.choices ? chosen(field, choices?.get(inner)) : at(field, inner)]
          }),
        ),
      }),
      ...('anyOf' in rest && { anyOf: (rest.anyOf as TSchema[]).map((each) => at(each, path)) }),
      ...(typeof rest.additionalProperties === 'object' && {
        additionalProperties: at(rest.additionalProperties as TSchema, path),
      }),
    } as TSchema
  }
  return at(action.body, '')
}

/** Allowed values say all there is to say about a text. */
function chosen(field: TSchema, values: readonly string[] | undefined): TSchema {
  const { errorMessage: _, pattern, minLength, maxLength, example, ...rest } = field as Record<string, unknown>
  if (!values) {
    const description = `${rest.description}. One of the connection's own values; send its access token to have them listed`
    return { ...rest, pattern, minLength, maxLength, description, example } as TSchema
  }
  const orNull = [rest.type].flat().includes('null') ? [null] : []
  return { ...rest, enum: [...values, ...orNull], ...(values.length > 0 && { example: values[0] }) } as TSchema
}
