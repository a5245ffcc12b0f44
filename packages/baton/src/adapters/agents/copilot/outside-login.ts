import type { AgentContainment } from '../../../ports/agent.ts'
import { keyLogin } from '../key-login.ts'
import { PLACEHOLDER } from '../own-login.ts'

/** Copilot CLI with a model service of the user's own. GitHub's login is exchanged for others, so it cannot stay outside. */
export const outsideLogin: AgentContainment['outsideLogin'] = ({ env }) => {
  const { COPILOT_PROVIDER_BASE_URL: address, COPILOT_PROVIDER_TYPE: type = 'openai' } = env
  if (!address) return { reason: 'Copilot CLI logs in to GitHub, not to a model service of your own' }
  const protocol = (['openai', 'azure', 'anthropic'] as const).find(name => name === type)
  if (!protocol) return { reason: `Baton does not know the provider type ${type}` }
  const bearer = env.COPILOT_PROVIDER_BEARER_TOKEN
  return keyLogin({
    key: bearer || env.COPILOT_PROVIDER_API_KEY,
    address,
    protocol,
    header: bearer ? 'authorization' : undefined,
    environment: {
      ...Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value !== undefined && ABOUT_MODEL.test(name) ? [[name, value]] : [],
        ),
      ),
      // It contacts nothing but its model.
      COPILOT_OFFLINE: 'true',
      [bearer ? 'COPILOT_PROVIDER_BEARER_TOKEN' : 'COPILOT_PROVIDER_API_KEY']: PLACEHOLDER,
    },
    env,
    variables: Object.keys(env).filter(name => /^COPILOT_(?:MODEL$|PROVIDER_)/.test(name)),
  })
}

/** None of them is a secret. */
const ABOUT_MODEL =
  /^COPILOT_(?:MODEL|PROVIDER_(?:BASE_URL|TYPE|WIRE_API|AZURE_API_VERSION|MODEL_ID|WIRE_MODEL|MAX_PROMPT_TOKENS|MAX_OUTPUT_TOKENS))$/
