/** Whether an accepted field comes to nothing, by the object it stands in. */
export type Unused = (object: Readonly<Record<string, unknown>>) => boolean

export const always: Unused = () => true

/** Where another field of the same object says it better. */
export const beside =
  (other: string): Unused =>
  (object) =>
    Object.hasOwn(object, other)

/** Where the same object has none of the fields that it would say something about. */
export const without =
  (...others: string[]): Unused =>
  (object) =>
    !others.some((other) => Object.hasOwn(object, other))
