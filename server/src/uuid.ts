/** Ids in paths and filters may be anything; PostgreSQL takes only these for a uuid. */
export const isUuid = (text: string) => form.test(text)

/**
 * What a given id is compared with, as in `id = ${uuidOrNull(id)}`: null, which is equal to nothing, for one that is no
 * UUID. In lower case, as PostgreSQL writes them.
 */
export const uuidOrNull = (id: string): string | null => (isUuid(id) ? id.toLowerCase() : null)

const form = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
