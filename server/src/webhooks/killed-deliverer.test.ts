import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { eventually } from '../eventually.fixture.ts'
import { emit } from './emit.ts'
import { openReceiver, openRig, orderUpdated } from './rig.fixture.ts'

const rig = await openRig()
after(rig.closeAll)

const events = 10_000
const slots = 64
const killEvery = 1_500

test('10,000 events all arrive at a receiver that fails 30 % while the deliverer is killed again and again', async (t) => {
  const taken = new Map<string, number>()
  const { promise: allTaken, resolve } = Promise.withResolvers<void>()
  let requests = 0
  let kills = 0
  let deliverer: ChildProcess | undefined
  const killDeliverer = () => {
    kills++
    deliverer!.kill('SIGKILL')
    deliverer = startDeliverer(rig.url)
  }
  t.after(() => deliverer?.kill('SIGKILL'))
  const receiver = await openReceiver(({ headers }, response) => {
    const dice = Math.imul(requests++, 2_654_435_761) >>> 0
    if (dice % 100 < 30) {
      const kind = (dice >>> 8) % 4
      if (kind === 0) return void response.writeHead(500).end('broken')
      if (kind === 1) return void response.socket!.resetAndDestroy()
      if (kind === 2) return
      return void response.writeHead(429).end()
    }
    const id = String(headers['webhook-id'])
    taken.set(id, (taken.get(id) ?? 0) + 1)
    response.end()
    if (taken.size === events) resolve()
    else if (taken.size >= (kills + 1) * killEvery) killDeliverer()
  })
  t.after(receiver.close)
  await rig.endpoint(receiver.url)
  for (let done = 0; done < events; done += 500) {
    await emit(
      rig.db,
      rig.source,
      Array.from({ length: 500 }, (_, i) => orderUpdated(`${done + i}`)),
    )
  }

  deliverer = startDeliverer(rig.url)
  await allTaken
  await allSettled()
  deliverer.kill('SIGKILL')
  await once(deliverer, 'exit')

  const { rows } = await rig.pool.query('select id from webhook_events')
  assert.deepEqual([...taken.keys()].sort(), rows.map(({ id }) => id).sort())
  const duplicates = [...taken.values()].reduce((sum, times) => sum + times - 1, 0)
  assert.equal(kills, Math.floor((events - 1) / killEvery))
  assert.ok(duplicates <= kills * slots, `${duplicates} duplicates after ${kills} kills`)
  t.diagnostic(`${kills} kills, ${duplicates} duplicates, ${requests} requests`)
})

function startDeliverer(url: string): ChildProcess {
  const file = fileURLToPath(new URL('./deliverer.fixture.ts', import.meta.url))
  return spawn(process.execPath, [file, url, String(slots)], { stdio: 'inherit' })
}

const allSettled = () =>
  eventually(async () => {
    const { rows } = await rig.pool.query(
      'select count(*)::integer as open from webhook_deliveries where due_at is not null',
    )
    return rows[0].open === 0
  }, 60_000)
