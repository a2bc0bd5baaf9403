import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/schema.ts'
import type { TextPage } from '../db/text-page.ts'
import type { Registry } from '../integrations/registry.ts'
import {
  type ConnectionKey,
  getConnectionAnswer,
  listConnectionAnswers,
  versionsOfDetail,
  versionsOfPage,
} from './answers.ts'

/**
 * Makes the readers of connections. An answer is made anew only when a row it was made of has changed, as the versions
 * (`xmin`) of its rows tell: reading those costs a fraction of making the text. The versions are read first, so that an
 * answer may be newer than its stamp but never older. Who asks for the same while others are answered shares one look.
 */
export function connectionAnswers(db: Db, registry: Registry) {
  const kept = new LRUCache<string, { stamp: string; bytes: number; answer: unknown }>({
    maxSize: 32 * 1024 * 1024,
    sizeCalculation: ({ bytes }) => bytes,
  })

  const inTurn = turns()

  async function keep<Answer>(
    key: string,
    versions: RawBuilder<string>,
    make: () => Promise<Answer>,
    bytesOf: (answer: Answer) => number,
  ): Promise<Answer> {
    const { rows } = await sql<{ stamp: string }>`select ${versions} as stamp`.execute(db)
    const { stamp } = rows[0]!
    const known = kept.get(key)
    if (known?.stamp === stamp) return known.answer as Answer
    const answer = await make()
    kept.set(key, { stamp, bytes: bytesOf(answer) + 1, answer })
    return answer
  }

  return {
    /** A page of the list; `after` is the key of the last connection had. */
    page(organizationId: string, after: ConnectionKey | null, limit: number): Promise<TextPage> {
      const key = [organizationId, limit, ...(after ?? [])].join(' ')
      return inTurn(key, () =>
        keep(
          key,
          versionsOfPage(organizationId, after, limit),
          () => listConnectionAnswers(db, organizationId, { after }, limit),
          ({ items }) => items.length,
        ),
      )
    },

    /**
     * The detail of a connection, JSON text.
     * @throws ApiError 404, the same for another organization's connection and for none
     */
    detail(organizationId: string, id: string): Promise<string> {
      const key = `${organizationId} ${id}`
      return inTurn(key, () =>
        keep(
          key,
          versionsOfDetail(organizationId, id),
          () => getConnectionAnswer(db, registry, organizationId, id),
          (answer) => answer.length,
        ),
      )
    },
  }
}

/**
 * Makes the function that lets those who ask for one key at once share a look. A look that has begun may have seen what
 * was before they asked, so they share the next: it begins when that one ends.
 */
function turns() {
  const underWay = new Map<string, { look: Promise<unknown>; next: Promise<unknown> | null }>()

  function begin<Seen>(key: string, look: () => Promise<Seen>): Promise<Seen> {
    const seen = look()
    const turn = { look: seen, next: null }
    const end = () => void (turn.next === null && underWay.delete(key))
    underWay.set(key, turn)
    seen.then(end, end)
    return seen
  }

  return <Seen>(key: string, look: () => Promise<Seen>): Promise<Seen> => {
    const turn = underWay.get(key)
    if (!turn) return begin(key, look)
    const next = () => begin(key, look)
    turn.next ??= turn.look.then(next, next)
    return turn.next as Promise<Seen>
  }
}
