/**
 * JSON texts as one `json[]` parameter, in PostgreSQL's binary format: as text every quote in them would be escaped
 * here and unescaped there.
 */
export function jsonArray(texts: readonly (string | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? 0 : Buffer.byteLength(text)))
  const array = Buffer.allocUnsafe(20 + lengths.reduce((sum, length) => sum + 4 + length, 0))
  let at = 0
  for (const number of [1, texts.includes(null) ? 1 : 0, jsonOid, texts.length, 1]) at = array.writeInt32BE(number, at)
  for (const [i, text] of texts.entries()) {
    at = array.writeInt32BE(text === null ? -1 : lengths[i]!, at)
    if (text !== null) at += array.write(text, at)
  }
  return array
}

export const jsonOid = 114
