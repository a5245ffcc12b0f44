import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { z } from 'zod'
import type { AgentContainment } from '../../../ports/agent.ts'
import { keyLogin } from '../key-login.ts'
import { ownFolder } from '../own-folder.ts'
import { PLACEHOLDER, readOwnJson } from '../own-login.ts'

const Provider = z.looseObject({ base_url: z.string().optional(), env_key: z.string().optional() })
const Settings = z.looseObject({
  model: z.string().optional(),
  model_provider: z.string().optional(),
  model_reasoning_effort: z.string().optional(),
  openai_base_url: z.string().optional(),
  model_providers: z.record(z.string(), Provider).optional(),
})
const Login = z.looseObject({ OPENAI_API_KEY: z.string().nullish(), tokens: z.unknown().optional() })

/** What a provider may have besides its address and its key. Others, such as headers and programs, may be a login. */
const HARMLESS = new Set([
  'name',
  'base_url',
  'env_key',
  'wire_api',
  'requires_openai_auth',
  'stream_max_retries',
])

/** Codex with an API key, for OpenAI or for a provider of the user's own. */
export const outsideLogin: AgentContainment['outsideLogin'] = (place, use) => {
  const folder = ownFolder(place, 'CODEX_HOME', '.codex')
  const settings = readToml(place.read(join(folder, 'config.toml')))
  if (!settings) return { reason: `Baton cannot read ${join(folder, 'config.toml')}` }
  const { model, model_provider: name = 'openai', model_reasoning_effort } = settings
  const own = settings.model_providers?.[name]
  const odd = Object.keys(own ?? {}).find(key => !HARMLESS.has(key))
  if (odd) return { reason: `The provider ${name} of Codex sets ${odd}, which may be a login` }
  if (!own && name !== 'openai') return { reason: `Codex has no provider ${name}` }
  const address = own?.base_url ?? (place.env.OPENAI_BASE_URL || settings.openai_base_url)
  const login = readOwnJson(Login, place.read(join(folder, 'auth.json')))
  const key = own?.env_key
    ? place.env[own.env_key]
    : place.env.CODEX_API_KEY || place.env.OPENAI_API_KEY || login?.OPENAI_API_KEY
  if (!key && login?.tokens) return { reason: 'Codex logs in with ChatGPT, not with an API key' }
  const shown = {
    ...(model ? { model } : {}),
    ...(model_reasoning_effort ? { model_reasoning_effort } : {}),
    ...(own ? { model_provider: name, model_providers: { [name]: own } } : {}),
    ...(!own && settings.openai_base_url ? { openai_base_url: settings.openai_base_url } : {}),
  }
  return keyLogin({
    key: key ?? undefined,
    address: address || 'https://api.openai.com/v1',
    protocol: 'openai',
    environment: {
      [own?.env_key ?? 'CODEX_API_KEY']: PLACEHOLDER,
      ...(!own && place.env.OPENAI_BASE_URL ? { OPENAI_BASE_URL: place.env.OPENAI_BASE_URL } : {}),
    },
    env: place.env,
    variables: [own?.env_key ?? 'CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
    shown: ['OPENAI_BASE_URL', 'CODEX_HOME'],
    // The whole agent has more of its settings.
    files:
      use.for === 'agent'
        ? []
        : [{ kind: 'private', path: join(place.home, '.codex/config.toml'), text: stringify(shown) }],
  })
}

function readToml(text: string | undefined): z.infer<typeof Settings> | undefined {
  try {
    return Settings.safeParse(parse(text ?? '')).data
  } catch {
    return undefined
  }
}
