import { load } from '../http/load.ts'

/** Asks in a process of its own; sends the requests per second to its parent. */
const [origin, path, headers, seconds] = process.argv.slice(2) as [string, string, string, string]
const { perSecond } = await load(origin, path, JSON.parse(headers), Number(seconds))
process.send!(perSecond)
