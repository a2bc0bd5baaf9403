import type { HttpClient, IntegrationHttp } from './http.ts'

/** Makes a call that has an effect, and answers or fails as it does. */
export type EffectGuard = (call: () => ReturnType<HttpClient['send']>) => ReturnType<HttpClient['send']>

/** Leaves every call that has an effect to a guard. */
export function guardEffects(http: IntegrationHttp, guard: EffectGuard): IntegrationHttp {
  return {
    at(baseUrl, options) {
      const client = http.at(baseUrl, options)
      return {
        get: client.get,
        send(method, path, call) {
          const send = () => client.send(method, path, call)
          return call?.effect === false ? send() : guard(send)
        },
      }
    },
  }
}
