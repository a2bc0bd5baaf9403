import { createHash } from 'node:crypto'

/** Reproducible randomness: the same seed gives the same sequence. */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** A key, as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Partial<Record<Key, number>>>): Key
  digits(count: number): string
}

/** sfc32 seeded with the SHA-256 of `seed`. */
export function seeded(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest()
  let a = digest.readInt32LE(0)
  let b = digest.readInt32LE(4)
  let c = digest.readInt32LE(8)
  let counter = digest.readInt32LE(12)

  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights & string, number][]
      let rest = next() * entries.reduce((total, [, weight]) => total + weight, 0)
      for (const [key, weight] of entries) {
        rest -= weight
        if (rest < 0) return key as never
      }
      return entries.at(-1)![0] as never
    },
    digits: (count) => Array.from({ length: count }, () => int(0, 9)).join(''),
  }
}
