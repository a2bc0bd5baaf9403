import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { errors } from '../errors.ts'
import { isKeepable } from '../keepable.ts'
import { isUuid } from '../uuid.ts'
import { isInstant } from './validation.ts'

/** A list and whose it is: with another owner it is another list. */
export interface List {
  name: string
  /** Id of an organization or a connection; null: the operator's. */
  ownerId: string | null
}

/** A page of what can be large ends early rather than grow beyond this, but holds at least one item. */
export const maxPageBytes = 8 * 1024 * 1024

/** Where a page ended: the values of the list's order at its last row. */
export type PageKey = string[]

/**
 * Page tokens hold the key of the last row, bound to the list they came from. An empty token counts as absent.
 * @param shape what each part of the key is
 * @throws ApiError 422 for a token that is garbled or of another list
 */
export function readPageToken(
  token: string | undefined,
  list: List,
  shape: readonly PartKind[] = rowKey,
): PageKey | null {
  if (!token) return null
  const key = pageKeyOf(token, list, shape)
  if (key === null) throw errors.validation({ query: notOfThisList })
  return key
}

/** The `alsoCheckQuery` of a list: tells a page token that `readPageToken` would refuse beside all other faults. */
export function pageTokenFaults(listOf: (request: FastifyRequest) => List, shape: readonly PartKind[] = rowKey) {
  return (request: FastifyRequest): Record<string, string[]> => {
    const { page_token: token } = request.query as { page_token?: unknown }
    if (typeof token !== 'string' || token === '') return {}
    return pageKeyOf(token, listOf(request), shape) === null ? notOfThisList : {}
  }
}

export function writePageToken({ name, ownerId }: List, key: PageKey): string {
  const text = Buffer.from(JSON.stringify([name, ownerId, ...key])).toString('base64url')
  return text + checksum(text)
}

export const pageToken = Type.Optional(
  Type.String({ description: '`next_token` of the previous page; the list continues after it.' }),
)

/** Answer of a list; `total_count` counts the items of this page. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    data: Type.Array(item),
    next_token: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    total_count: Type.Integer(),
  })

/** Cuts a list read with one row too many into the page and its `next_token`. */
export function cutPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  list: List,
  keyOf: (row: Row) => PageKey,
  itemOf: (row: Row) => Item,
) {
  const page = rows.slice(0, limit)
  const next_token = rows.length > limit ? writePageToken(list, keyOf(page.at(-1)!)) : null
  return { data: page.map(itemOf), next_token, total_count: page.length }
}

function pageKeyOf(token: string, list: List, shape: readonly PartKind[]): PageKey | null {
  const [name, ownerId, ...key] = parse(token)
  const isOfList = name === list.name && ownerId === list.ownerId
  const fits = key.length === shape.length && key.every((part, i) => isPart(part, shape[i]!))
  return isOfList && fits ? (key as PageKey) : null
}

/** Of rows in the order they were made in. */
const rowKey = ['instant', 'uuid'] as const
const notOfThisList = { page_token: ['Is not a page token of this list.'] }

/** Tells a token that was cut or mistyped from a whole one. */
const checksum = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, checksumLength)
const checksumLength = 8

function parse(token: string): unknown[] {
  const text = token.slice(0, -checksumLength)
  if (token.slice(-checksumLength) !== checksum(text)) return []
  try {
    const parsed = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

type PartKind = 'instant' | 'text' | 'uuid'

function isPart(part: unknown, kind: PartKind) {
  if (typeof part !== 'string') return false
  if (kind === 'instant') return isInstant(part)
  return kind === 'uuid' ? isUuid(part) : isKeepable(part)
}
