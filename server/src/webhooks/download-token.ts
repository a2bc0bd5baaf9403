import type { Vault } from '../secrets.ts'

const validMs = 20 * 60_000

/** An address that gives the whole event to whoever has it, for 20 minutes. */
export function downloadUrl(vault: Vault, publicUrl: string, eventId: string, now: Date): string {
  const token = vault.seal(String(now.getTime() + validMs), purposeOf(eventId)).toString('base64url')
  return `${publicUrl}/webhook-events/${eventId}/download?token=${token}`
}

export function isDownloadToken(vault: Vault, eventId: string, token: string, now: Date): boolean {
  try {
    return Number(vault.open(Buffer.from(token, 'base64url'), purposeOf(eventId))) > now.getTime()
  } catch {
    return false
  }
}

const purposeOf = (eventId: string) => `download of event ${eventId}`
