import type { Refusal } from '../api.ts'
import { element } from '../element.ts'
import type { Host } from '../host.ts'
import type { View } from '../stage.ts'

/**
 * Why nothing can be installed here, and what to do next.
 * @param refusal null where the embedding page got no link token
 */
export function stoppedStep(refusal: Refusal | null, host: Host, again: () => void): View {
  const { title, text, retry } = host.close ? inWindow(refusal) : atAddress(refusal!)
  const close = host.close && element('button', { type: 'button', class: 'secondary', click: host.close }, 'Close')
  return {
    title,
    mark: 'stop',
    body: [
      element('p', { class: 'lead' }, text),
      element(
        'div',
        { class: 'actions' },
        retry ? element('button', { type: 'button', class: 'primary', click: again }, 'Try again') : null,
        close,
      ),
    ],
  }
}

interface Stop {
  title: string
  text: string
  retry: boolean
}

/** Of a magic link; the first half of what the server says is the title. */
function atAddress({ status, message }: Refusal): Stop {
  const title = message.split(';')[0]!
  switch (status) {
    case 0:
      return unreachable
    case 401:
      return {
        title,
        text: 'Check that the address is complete, or ask whoever sent it to you for a new link.',
        retry: false,
      }
    case 409:
      return {
        title,
        text: 'The connection it made is in place; there is nothing left to do. To connect another account, ask for a new link.',
        retry: false,
      }
    case 410:
      return { title, text: 'Nothing was changed. Ask whoever sent it to you for a new link.', retry: false }
    default:
      return other(message)
  }
}

/** Inside another page's window a new link token is one try away. */
function inWindow(refusal: Refusal | null): Stop {
  switch (refusal?.status) {
    case undefined:
      return {
        title: 'This could not be started',
        text: 'The page you came from did not answer. Try again in a moment.',
        retry: true,
      }
    case 0:
      return unreachable
    case 401:
    case 410:
      return {
        title: 'This window has been open too long',
        text: 'Nothing was changed. Begin again; it takes only a moment.',
        retry: true,
      }
    case 422:
      console.error('Service: the configuration is refused', refusal!.detail)
      return { title: 'This is not set up correctly', text: 'Let those who run this page know.', retry: false }
    case 403:
      return { title: 'This cannot be connected here', text: `${refusal!.message}.`, retry: false }
    default:
      return other(refusal!.message)
  }
}

const unreachable: Stop = {
  title: 'There is no connection',
  text: 'Check that you are online, then try again. Nothing was changed.',
  retry: true,
}

const other = (message: string): Stop => ({ title: 'Something went wrong', text: `${message}.`, retry: true })
