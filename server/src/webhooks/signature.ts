import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The headers of a message by Standard Webhooks, and the same values under the names that Svix libraries read.
 * @param keys one signature each, so that receivers may hold any of them
 */
export function signedHeaders(id: string, at: Date, body: string, keys: readonly KeyObject[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = keys.map((key) => `v1,${sign(key, `${id}.${timestamp}.${body}`)}`).join(' ')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': signature,
  }
}

const sign = (key: KeyObject, content: string) => createHmac('sha256', key).update(content).digest('base64')
