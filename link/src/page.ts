import { type Api, createApi, type Integration, type Refusal, type Session } from './api.ts'
import { applyBrand } from './brand.ts'
import { frameHost, type Host, isFrame, magicLinkHost } from './host.ts'
import type { Settings } from './protocol.ts'
import { offerClosing, show, wait } from './stage.ts'
import { credentialsStep } from './steps/credentials.ts'
import { doneStep } from './steps/done.ts'
import { pickStep } from './steps/pick.ts'
import { requestStep } from './steps/request.ts'
import { reviewStep } from './steps/review.ts'
import { stoppedStep } from './steps/stopped.ts'

document.documentElement.classList.toggle('framed', isFrame())
const host: Host = isFrame() ? frameHost() : magicLinkHost()
if (host.close) offerClosing(host.close)
void begin()

async function begin() {
  wait('Loading…')
  const opened = await host.open()
  if (!opened) return show(stoppedStep(null, host, begin))
  const api = createApi(opened.secret, opened.settings)
  try {
    const session = await api.session()
    const { name, color, logo_url } = session.organization
    applyBrand({ name, color, logo: opened.settings.logo ?? logo_url })
    lead(session, opened.settings, api)
  } catch (refusal) {
    show(stoppedStep(refusal as Refusal, host, begin))
  }
}

/** One thing to install leads straight to its form; otherwise it is picked and looked at first. */
function lead(session: Session, settings: Settings, api: Api) {
  const { integrations } = session
  const integrationType = integrations[0]?.integration_type ?? settings.integrationType ?? 'wms'
  const search = { text: '' }
  const pick = () =>
    show(
      pickStep({
        session,
        integrationType,
        search,
        // where nothing is typed, the form itself says what is exchanged
        onPick: (integration) => (integration.fields.length > 0 ? review(integration) : form(integration, pick)),
        onMissing: isRequestable(integrationType) ? ask : null,
      }),
    )
  const ask = (name: string) => show(requestStep({ api, name, integrationType, back: pick, show }))
  const review = (integration: Integration) =>
    show(
      reviewStep({ session, integration, back: pick, onContinue: () => form(integration, () => review(integration)) }),
    )
  const form = (integration: Integration, back: (() => void) | null) =>
    show(
      credentialsStep({
        ...{ session, integration, api, back },
        onInstalled(installed) {
          host.succeed(installed.auth_code, installed.integration_name)
          show(doneStep({ session, integration, installed, api, host }))
        },
        onStopped: (refusal) => show(stoppedStep(refusal, host, begin)),
      }),
    )

  const wanted = integrations.find(({ integration_name }) => integration_name === settings.integrationId)
  const only = wanted ?? (integrations.length === 1 ? integrations[0] : undefined)
  if (only) form(only, null)
  else pick()
}

const isRequestable = (integrationType: string) => ['wms', 'cart', 'carrier'].includes(integrationType)
