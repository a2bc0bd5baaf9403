import { errors } from '../errors.ts'
import type { Write } from '../resources/define-write.ts'

/** @throws ApiError 404 for what is no id, and would lead to another place in the system behind */
export function pathId(
  { itemParameter, resource }: Pick<Write, 'itemParameter' | 'resource'>,
  params: unknown,
): string {
  const id = (params as Record<string, string>)[itemParameter!]!
  if (['', '.', '..'].includes(id)) throw errors.notFound(resource.singular.replaceAll('_', ' '), id)
  return id
}
