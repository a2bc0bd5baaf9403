import { Type } from 'typebox'
import { nullable, oneOf } from './define.ts'

/**
 * Texts of write bodies say something: what is unknown is left out, never sent as null, as an empty text, or as the
 * words `none` or `null`. PostgreSQL keeps no NUL.
 */
export const writtenText = (description: string, example: string) =>
  Type.String({ ...saying, minLength: 1, maxLength: 1000, description, example })

export const writtenChoice = <const Values extends readonly string[]>(description: string, ...values: Values) => ({
  ...oneOf(...values),
  description,
  example: values[0],
})

/** Where something can be had on the web. */
export const writtenAddress = (description: string, example: string) =>
  Type.String({
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]',
    errorMessage: 'Must begin with http:// or https://.',
    maxLength: 1000,
    description,
    example,
  })

/** ISO 8601 with seconds and an offset. */
export const writtenInstant = (description: string) =>
  Type.String({ format: 'date-time', pattern: instant, description, example: '2026-11-20T08:15:30Z' })

export const writtenQuantity = (description: string, example = 1) =>
  Type.Integer({ minimum: 1, maximum: 1_000_000, description, example })

/** An amount of money in units of its currency. */
export const writtenAmount = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1_000_000_000, description, example })

const measure = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1_000_000, description, example })

export const writtenMeasurements = Type.Object(
  {
    length: measure('Length in `unit`', 30),
    width: measure('Width in `unit`', 20),
    height: measure('Height in `unit`', 10),
    unit: writtenChoice('Of the lengths', 'cm', 'in'),
    weight: measure('Weight in `weight_unit`', 1.2),
    weight_unit: writtenChoice('Of the weight', 'kg', 'oz', 'lb'),
  },
  { description: 'Size and weight of one piece' },
)

type Measurement = keyof (typeof writtenMeasurements)['properties']
/** Each of them in the body of a write. */
export const measurementPaths = (Object.keys(writtenMeasurements.properties) as Measurement[]).map(
  (name) => `measurements.${name}` as const,
)

const saying = {
  pattern: '^(?!(?:[Nn][Oo][Nn][Ee]|[Nn][Uu][Ll][Ll])$)[^\\u0000]*$',
  errorMessage: 'May not be empty or say none or null; leave the field out.',
}

const instant =
  '^[12]\\d{3}-\\d\\d-\\d\\d[Tt](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-](?:0\\d|1[0-4]):[0-5]\\d)$'

const tag = { type: 'string', minLength: 1, maxLength: 1000, ...saying } as const

/** Labels of the organization: each a text or an object with one pair. */
export const givenTags = Type.Unsafe<(string | Record<string, string>)[]>({
  type: 'array',
  maxItems: 100,
  description: 'Labels kept with the record',
  example: ['priority', { channel: 'web' }],
  items: {
    anyOf: [
      tag,
      {
        type: 'object',
        title: 'ServiceTag',
        minProperties: 1,
        maxProperties: 1,
        propertyNames: { minLength: 1, maxLength: 1000, pattern: '^[^\\u0000]*$' },
        additionalProperties: tag,
      },
    ],
  },
})

/** The one field of a write that may be null. */
export const writtenTags = nullable(givenTags)
