import { join } from 'node:path'
import { z } from 'zod'
import type { AgentContainment } from '../../../ports/agent.ts'
import { keyLogin, keyOf, type Protocol, SERVICES } from '../key-login.ts'
import { ownFolder } from '../own-folder.ts'
import { PLACEHOLDER, readOwnJson } from '../own-login.ts'

const Settings = z.object({ defaultProvider: z.string().optional(), defaultModel: z.string().optional() })
const Provider = z.looseObject({
  baseUrl: z.string().optional(),
  api: z.string().optional(),
  apiKey: z.string().optional(),
})
const Models = z.object({ providers: z.record(z.string(), Provider).optional() })
const Logins = z.record(z.string(), z.looseObject({ type: z.string(), key: z.string().optional() }))

/** pi with an API key for the provider that its settings name. */
export const outsideLogin: AgentContainment['outsideLogin'] = (place, use) => {
  const folder = ownFolder(place, 'PI_CODING_AGENT_DIR', '.pi/agent')
  const read = <T>(schema: z.ZodType<T>, name: string) => readOwnJson(schema, place.read(join(folder, name)))
  const [settings, models, logins] = [
    read(Settings, 'settings.json'),
    read(Models, 'models.json'),
    read(Logins, 'auth.json'),
  ]
  if (!settings || !models || !logins) return { reason: `Baton cannot read the settings of pi in ${folder}` }
  const { defaultProvider: name, defaultModel } = settings
  if (!name) return { reason: 'The settings of pi name no defaultProvider' }
  const own = models.providers?.[name]
  const service = SERVICES.get(name)
  if (JSON.stringify(own ?? {}).includes('"headers"'))
    return { reason: `The provider ${name} of pi has headers, which may be a login` }
  const login = logins[name]
  if (login && login.type !== 'api_key')
    return { reason: `pi logs in to ${name} with ${login.type}, not with an API key` }
  const stored = login?.key ?? own?.apiKey
  if (stored?.startsWith('!'))
    return { reason: `A program prints the key of ${name}: it cannot run in the sandbox` }
  const address = own?.baseUrl ?? service?.address
  if (!address) return { reason: `Baton does not know the server of ${name}` }
  const provider = { ...own, apiKey: PLACEHOLDER }
  const variable = service?.variables[0]
  // The whole agent still has the variable that moves its folder; the program of an answer does not.
  const shownFolder = use.for === 'agent' ? folder : join(place.home, '.pi/agent')
  const file = (path: string, value: unknown) =>
    ({ kind: 'private', path: join(shownFolder, path), text: JSON.stringify(value) }) as const
  return keyLogin({
    key: stored === undefined ? keyOf(service, place.env) : interpolated(stored, place.env),
    address,
    protocol: (own?.api ? PROTOCOLS.get(own.api) : service?.protocol) ?? 'openai',
    environment: { PI_OFFLINE: '1', ...(own || !variable ? {} : { [variable]: PLACEHOLDER }) },
    env: place.env,
    variables: Object.keys(place.env).filter(
      each =>
        each === 'PI_CODING_AGENT_DIR' || service?.variables.includes(each) || namesIn(stored).includes(each),
    ),
    shown: ['PI_CODING_AGENT_DIR'],
    files: [
      file('settings.json', { defaultProvider: name, ...(defaultModel ? { defaultModel } : {}) }),
      ...(own ? [file('models.json', { providers: { [name]: provider } })] : []),
    ],
  })
}

/** Others are like OpenAI's. */
const PROTOCOLS: ReadonlyMap<string, Protocol> = new Map([
  ['anthropic-messages', 'anthropic'],
  ['google-generative-ai', 'google'],
])

/** The variables of which a key consists; older versions take a name without `$`. */
const namesIn = (text = ''): string[] => [
  text,
  ...[...text.matchAll(VARIABLE)].map(([, braced, plain]) => braced ?? plain ?? ''),
]

/** `$NAME` and `${NAME}` stand for variables. */
const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g

const interpolated = (text: string, env: Readonly<Record<string, string | undefined>>): string =>
  text.replaceAll(VARIABLE, (_, braced, plain) => env[braced ?? plain] ?? '')
