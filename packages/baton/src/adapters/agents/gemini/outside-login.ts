import { join } from 'node:path'
import { z } from 'zod'
import type { AgentContainment } from '../../../ports/agent.ts'
import { keyLogin } from '../key-login.ts'
import { ownFolder } from '../own-folder.ts'
import { PLACEHOLDER, readOwnJson } from '../own-login.ts'

const Settings = z.object({
  security: z.object({ auth: z.object({ selectedType: z.string().optional() }).optional() }).optional(),
  model: z.object({ name: z.string().optional() }).optional(),
})

/** Gemini CLI with an API key. A login with Google and Vertex AI need tokens that it makes itself. */
export const outsideLogin: AgentContainment['outsideLogin'] = (place, use) => {
  const folder = join(ownFolder(place, 'GEMINI_CLI_HOME', ''), '.gemini')
  const settings = readOwnJson(Settings, place.read(join(folder, 'settings.json')))
  if (!settings) return { reason: `Baton cannot read ${join(folder, 'settings.json')}` }
  const env = { ...variablesIn(place.read(join(folder, '.env'))), ...place.env }
  if (env.GEMINI_CLI_CUSTOM_HEADERS) return { reason: 'GEMINI_CLI_CUSTOM_HEADERS is set, and may be a login' }
  const chosen = settings.security?.auth?.selectedType ?? 'gemini-api-key'
  if (chosen !== 'gemini-api-key') return { reason: `Gemini CLI logs in with ${chosen}, not with an API key` }
  const { GOOGLE_GEMINI_BASE_URL: address, GEMINI_MODEL } = env
  const own = {
    security: { auth: { selectedType: chosen } },
    ...(settings.model ? { model: settings.model } : {}),
  }
  return keyLogin({
    key: env.GEMINI_API_KEY,
    address: address || 'https://generativelanguage.googleapis.com',
    protocol: 'google',
    environment: {
      GEMINI_API_KEY: PLACEHOLDER,
      ...(address ? { GOOGLE_GEMINI_BASE_URL: address } : {}),
      ...(GEMINI_MODEL ? { GEMINI_MODEL } : {}),
    },
    env: place.env,
    variables: ['GEMINI_API_KEY', 'GEMINI_CLI_HOME', 'GEMINI_MODEL', 'GOOGLE_GEMINI_BASE_URL'],
    shown: ['GEMINI_CLI_HOME', 'GEMINI_MODEL', 'GOOGLE_GEMINI_BASE_URL'],
    // The whole agent has more of its settings.
    files:
      use.for === 'agent'
        ? []
        : [{ kind: 'private', path: join(place.home, '.gemini/settings.json'), text: JSON.stringify(own) }],
  })
}

function variablesIn(text: string | undefined): Record<string, string> {
  const lines = (text ?? '').matchAll(/^\s*(?:export\s+)?(\w+)\s*=\s*(["']?)(.*?)\2\s*$/gm)
  return Object.fromEntries([...lines].map(([, name = '', , value = '']) => [name, value]))
}
