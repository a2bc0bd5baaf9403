import type { Api, Installed, Integration, Progress, Session } from '../api.ts'
import { element, icon, icons } from '../element.ts'
import type { Host } from '../host.ts'
import { announce, type View } from '../stage.ts'
import { listOf, readingOf } from '../words.ts'
import { notice } from './notice.ts'

/** It is connected; the first sync can be watched, and left to itself. */
export function doneStep(step: {
  session: Session
  integration: Integration
  installed: Installed
  api: Api
  host: Host
}): View {
  const { session, integration, installed, host } = step
  const name = integration.display_name
  const missing = installed.missing_permissions
  const progress = element('div', { class: 'progress' })
  void watch(step.api, progress, integration)
  return {
    title: `${name} is connected`,
    mark: 'success',
    body: [
      element('p', { class: 'lead' }, `${session.organization.name} now reads your data.`),
      missing.length === 0
        ? null
        : notice(
            'caution',
            `This sign-in may not read ${listOf(missing.map((each) => readingOf(each.function_name)))}`,
            missingList(missing),
            `Everything else works. Once an administrator of ${name} allows it, reading starts by itself.`,
          ),
      progress,
      element(
        'div',
        { class: 'actions' },
        host.close
          ? element('button', { type: 'button', class: 'primary', click: host.close }, 'Done')
          : element('p', { class: 'muted' }, 'You can close this page. Reading goes on without it.'),
      ),
    ],
  }
}

const missingList = (missing: Installed['missing_permissions']) =>
  element(
    'ul',
    { class: 'endpoints' },
    ...missing.map(({ endpoint }) => element('li', {}, element('code', {}, endpoint))),
  )

/** Asks again until everything has been read once, or the page shows something else. */
async function watch(api: Api, place: HTMLElement, { reads }: Integration) {
  const bar = element('progress', { max: Math.max(1, reads.length), value: 0, 'aria-labelledby': 'progress-title' })
  const count = element('span', { class: 'muted' })
  const list = element('ul', { class: 'steps' })
  place.replaceChildren(
    element('div', { class: 'progress-head' }, element('h2', { id: 'progress-title' }, 'First sync'), count),
    bar,
    list,
  )
  for (let waitMs = shortestMs; ; waitMs = Math.min(waitMs * 1.2, longestMs)) {
    const progress = await api.progress().catch(() => null)
    if (progress) {
      const done = progress.functions.filter((each) => each.first_sync_completed).length
      bar.max = Math.max(1, progress.functions.length)
      bar.value = progress.completed ? bar.max : done
      count.textContent = `${done} of ${progress.functions.length}`
      list.replaceChildren(...progress.functions.map(stepOf))
      if (progress.completed) return announce('The first sync is complete')
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (!place.isConnected) return
  }
}

const shortestMs = 1000
const longestMs = 15_000

function stepOf(of: Progress['functions'][number]): HTMLElement {
  const state = stateOf(of)
  return element(
    'li',
    { class: `step ${state.name}` },
    element('span', { class: 'dot' }, state.name === 'complete' ? icon(icons.check) : null),
    element('span', {}, readingOf(of.function_name)),
    element('span', { class: 'muted' }, state.text),
  )
}

function stateOf({ first_sync_completed, sync_status }: Progress['functions'][number]) {
  if (first_sync_completed) return { name: 'complete', text: 'Read' }
  if (sync_status === 'error') return { name: 'troubled', text: 'Will be tried again' }
  if (sync_status.endsWith('in_progress')) return { name: 'running', text: 'Reading…' }
  return { name: 'waiting', text: 'Waiting' }
}
