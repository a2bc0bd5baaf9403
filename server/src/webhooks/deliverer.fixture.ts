import { pino } from 'pino'
import { openDatabase } from '../db/open.ts'
import { Vault } from '../secrets.ts'
import { startDelivery } from './delivery.ts'
import { openGuard, rigKey } from './rig.fixture.ts'

/** A deliverer in a process of its own, to be killed. */
const url = process.argv[2]!
startDelivery({
  db: openDatabase(url, 4).db,
  url,
  vault: new Vault([rigKey]),
  guard: openGuard,
  log: pino({ level: 'warn' }),
  publicUrl: 'https://crossdock.example',
  openAccessToken: async () => null,
  schedule: [0, ...Array.from({ length: 30 }, (_, i) => 100 * (i + 1))],
  limits: { slots: Number(process.argv[3]), perEndpoint: Number(process.argv[3]), perEndpointPerSecond: 1_000_000 },
  timeoutMs: 300,
  leaseMs: 1_000,
  pollMs: 100,
})
