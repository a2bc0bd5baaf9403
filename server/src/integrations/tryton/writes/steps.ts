import { IntegrationError } from '../../fault.ts'
import type { Row, TrytonClient } from '../client.ts'
import { inTheWay } from './record.ts'

/**
 * Presses the button that leads out of each state until the state wanted is reached. Tryton ignores a button that does
 * not fit the state, so the state is read again after each.
 * @param before what has to be done in a state before its button is pressed
 * @throws IntegrationError `conflict` where there is no way, or not enough stock
 */
export async function advance(
  client: TrytonClient,
  model: string,
  id: number,
  way: { buttons: Readonly<Record<string, string>>; to: string; before?(state: string): Promise<void> },
): Promise<void> {
  let state = await stateOf(client, model, id)
  while (state !== way.to) {
    const button = way.buttons[state]
    if (!button) throw inTheWay(`Tryton has it as ${state} already`)
    await way.before?.(state)
    // what is reserved already stays so the next time
    const answer = await client.step(model, button, [[id]], { effect: button !== 'assign_try' })
    const reached = await stateOf(client, model, id)
    if (button === 'assign_try' && (answer === false || reached === state)) {
      throw inTheWay('There is not enough stock in this warehouse')
    }
    if (reached === state) throw inTheWay(`Tryton does not let it go on from ${state}`)
    state = reached
  }
}

/** Cancels what is not done yet. @throws IntegrationError `conflict` */
export async function cancel(client: TrytonClient, model: string, id: number): Promise<void> {
  const state = await stateOf(client, model, id)
  if (state === 'done' || state === 'cancelled') throw inTheWay(`Tryton has it as ${state} already`)
  await client.step(model, 'cancel', [[id]])
  if ((await stateOf(client, model, id)) !== 'cancelled')
    throw inTheWay(`Tryton does not cancel it while it is ${state}`)
}

export async function stateOf(client: TrytonClient, model: string, id: number): Promise<string> {
  const [row] = await client.read<Row & { state: string }>({ model, domain: [['id', '=', id]], fields: ['state'] })
  if (!row) throw new IntegrationError('not_found', `Tryton has no record ${id}`)
  return row.state
}
