/** Whether PostgreSQL can keep a text: it takes neither NUL nor halves of surrogate pairs. */
export const isKeepable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** The text with U+FFFD in place of what cannot be kept. */
export const keepable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** The same for the names and texts in a JSON text that `JSON.stringify` made; the text itself where nothing is amiss. */
export function keepableJson(json: string): string {
  if (!unkeepable.test(json)) return json
  return json.replace(escapes, (found) => (unkeepable.test(found) ? '\uFFFD' : found))
}

const unkeepable = /\\u(?:0000|d[89a-f])/
/** Each as a whole: in `\\u0000` a backslash is escaped, not NUL. */
const escapes = /\\(?:u[\da-f]{4}|.)/g
