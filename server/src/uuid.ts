/** Ids in paths and filters may be anything; PostgreSQL takes only these for a uuid. */
export const isUuid = (text: string) => form.test(text)

const form = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
