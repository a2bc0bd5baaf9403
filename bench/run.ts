import { benchCrawl } from './crawl.ts'
import { benchHttp } from './http.ts'
import { benchSchedules } from './schedules.ts'
import { benchStart } from './start.ts'

/** Prints every figure of the core, each with its bound where it has one; exits 1 when one is broken. */
await benchStart()
await benchHttp()
await benchSchedules()
await benchCrawl()
