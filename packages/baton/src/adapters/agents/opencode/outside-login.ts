import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { z } from 'zod'
import type { AgentContainment, LoginPlace } from '../../../ports/agent.ts'
import { keyLogin, keyOf, type Protocol, SERVICES } from '../key-login.ts'
import { ownFolder } from '../own-folder.ts'
import { PLACEHOLDER, readOwnJson } from '../own-login.ts'

const Provider = z.looseObject({
  npm: z.string().optional(),
  options: z.looseObject({ baseURL: z.string().optional(), apiKey: z.string().optional() }).optional(),
})
const Settings = z.looseObject({
  model: z.string().optional(),
  small_model: z.string().optional(),
  provider: z.record(z.string(), Provider).optional(),
})
const Logins = z.record(z.string(), z.looseObject({ type: z.string(), key: z.string().optional() }))

/** opencode with an API key for the provider of the model that its settings name. */
export const outsideLogin: AgentContainment['outsideLogin'] = (place, use) => {
  const settings = readSettings(place)
  if (!settings) return { reason: 'Baton cannot read the settings of opencode' }
  const { model, small_model } = settings
  const name = model?.split('/')[0]
  if (!model || !name) return { reason: 'The settings of opencode name no model' }
  const own = settings.provider?.[name]
  const service = SERVICES.get(name)
  const { baseURL, apiKey, ...options } = own?.options ?? {}
  const odd = JSON.stringify(own ?? {}).includes('"headers"')
    ? 'headers'
    : Object.keys(options).find(key => !HARMLESS.has(key))
  if (odd) return { reason: `The provider ${name} of opencode sets ${odd}, which may be a login` }
  const folder = join(ownFolder(place, 'XDG_DATA_HOME', '.local/share'), 'opencode')
  const logins = readOwnJson(Logins, place.env.OPENCODE_AUTH_CONTENT ?? place.read(join(folder, 'auth.json')))
  const login = logins?.[name]
  if (login && login.type !== 'api')
    return { reason: `opencode logs in to ${name} with ${login.type}, not with an API key` }
  if (apiKey?.includes('{file:')) return { reason: `A file contains the key of ${name}` }
  const address = baseURL ?? service?.address
  if (!address) return { reason: `Baton does not know the server of ${name}` }
  const shown = {
    model,
    small_model: small_model?.startsWith(`${name}/`) ? small_model : model,
    autoupdate: false,
    share: 'disabled',
    provider: {
      [name]: { ...own, options: { ...options, ...(baseURL ? { baseURL } : {}), apiKey: PLACEHOLDER } },
    },
  }
  return keyLogin({
    key: apiKey === undefined ? (login?.key ?? keyOf(service, place.env)) : interpolated(apiKey, place.env),
    address,
    protocol: (own?.npm ? PROTOCOLS.get(own.npm) : service?.protocol) ?? 'openai',
    environment: {
      ...(use.for === 'agent' ? foldersIn(place.env) : {}),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(shown),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      ...(own?.npm ? { OPENCODE_DISABLE_MODELS_FETCH: '1' } : {}),
    },
    env: place.env,
    variables: Object.keys(place.env).filter(
      each =>
        DECIDING.includes(each) || service?.variables.includes(each) || apiKey?.includes(`{env:${each}}`),
    ),
    shown: ['OPENCODE_CONFIG', ...FOLDERS],
  })
}

/** Where its folders are, which the sandbox shows at the same places. */
const foldersIn = (env: LoginPlace['env']): Record<string, string> =>
  Object.fromEntries(FOLDERS.flatMap(name => (env[name] ? [[name, env[name]]] : [])))

const FOLDERS = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME']
/** Of its own variables, those that decide about the login. */
const DECIDING = ['OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_CONTENT', ...FOLDERS]

const HARMLESS = new Set(['timeout', 'setCacheKey'])
/** Others are like OpenAI's. */
const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['@ai-sdk/anthropic', 'anthropic'],
  ['@ai-sdk/google', 'google'],
])

/** All files of the user's settings; a later one overrides an earlier. */
function readSettings(place: LoginPlace): z.infer<typeof Settings> | undefined {
  const folder = join(ownFolder(place, 'XDG_CONFIG_HOME', '.config'), 'opencode')
  const texts = [
    ...['config.json', 'opencode.json', 'opencode.jsonc'].map(name => place.read(join(folder, name))),
    place.env.OPENCODE_CONFIG ? place.read(place.env.OPENCODE_CONFIG) : undefined,
    place.env.OPENCODE_CONFIG_CONTENT,
  ]
  let all: z.infer<typeof Settings> = {}
  for (const text of texts) {
    if (!text) continue
    const found = Settings.safeParse(parse(text, [], { allowTrailingComma: true })).data
    if (!found) return undefined
    all = { ...all, ...found, provider: { ...all.provider, ...found.provider } }
  }
  return all
}

const interpolated = (text: string, env: LoginPlace['env']): string =>
  text.replaceAll(/\{env:(\w+)\}/g, (_, name) => env[name] ?? '')
