/** What a message is made of besides what is kept. */
export interface MessageParts {
  publicUrl: string
  /** Null when the connection is gone. */
  openAccessToken(connectionId: string): Promise<string | null>
}

export interface KeptEvent {
  id: string
  type: string
  connectionId: string | null
  /** JSON text. */
  payload: string
  truncated: boolean
}

/** The body as it is signed and sent: the kept payload, with the access token or the address of the whole put in. */
export async function messageBody(parts: MessageParts, event: KeptEvent): Promise<string> {
  if (event.truncated) return edited(event.payload, { data_url: dataUrl(parts.publicUrl, event.id) })
  if (event.type !== 'connection.created' || event.connectionId === null) return event.payload
  const access_token = await parts.openAccessToken(event.connectionId)
  return edited(event.payload, { data: { ...JSON.parse(event.payload).data, access_token } })
}

export const dataUrl = (publicUrl: string, eventId: string) => `${publicUrl}/webhook-events/${eventId}/data`

const edited = (payload: string, changes: object) => JSON.stringify({ ...JSON.parse(payload), ...changes })
