import { AsyncLocalStorage } from 'node:async_hooks'
import type { SentCall } from '../integrations/http-client.ts'

/** A request sent onward while one of ours was answered. */
export type OnwardCall = Pick<SentCall, 'url' | 'method' | 'body'>

const current = new AsyncLocalStorage<OnwardCall[]>()

/** For the HTTP client of integrations; calls outside of a logged request, those of crawls, are not kept. */
export function recordOnwardCall(call: SentCall): void {
  current.getStore()?.push({ url: call.url, method: call.method, body: call.body })
}

/** Runs what answers a request; the calls it makes onward end up in `calls`. */
export function collectOnwardCalls(calls: OnwardCall[], answer: () => void): void {
  current.run(calls, answer)
}
