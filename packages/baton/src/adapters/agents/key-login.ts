import type { LoginPlace, OutsideLogin, OwnFile } from '../../ports/agent.ts'
import { isAmbiguousPath } from '../../ports/network.ts'
import { isHeaderText, PLACEHOLDER, serverOf } from './own-login.ts'

type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key'

/** The protocols in which agents ask a model. */
export type Protocol = 'openai' | 'azure' | 'anthropic' | 'google'

/** The header in which a service expects its key, and the requests that get it: questions, and the list of models. */
const PROTOCOLS: Readonly<Record<Protocol, { header: KeyHeader; POST: RegExp; GET: RegExp }>> = {
  openai: {
    header: 'authorization',
    POST: /^(?:\/v1)?\/(?:chat\/completions|responses)$/,
    GET: /^(?:\/v1)?\/models(?:\/[\w@-][\w.@-]*)?$/,
  },
  azure: {
    header: 'api-key',
    POST: /^(?:\/openai)?(?:\/v1|\/deployments\/[\w@-][\w.@-]*)?\/(?:chat\/completions|responses)$/,
    GET: /^(?:\/openai)?(?:\/v1)?\/models(?:\/[\w@-][\w.@-]*)?$/,
  },
  anthropic: {
    header: 'x-api-key',
    POST: /^(?:\/v1)?\/messages(?:\/count_tokens)?$/,
    GET: /^(?:\/v1)?\/models(?:\/[\w@-][\w.@-]*)?$/,
  },
  google: {
    header: 'x-goog-api-key',
    POST: /^(?:\/v1(?:alpha|beta)?)?\/models\/[\w@-][\w.@-]*:(?:generateContent|streamGenerateContent|countTokens)$/,
    GET: /^(?:\/v1(?:alpha|beta)?)?\/models(?:\/[\w@-][\w.@-]*)?$/,
  },
}

interface Key {
  key: string | undefined
  /** The address of the service, with the path below which it answers. */
  address: string
  protocol: Protocol
  /** Unless it is the protocol's usual one. */
  header?: KeyHeader | undefined
  /** How the agent finds the placeholder inside. */
  environment: Readonly<Record<string, string>>
  env: LoginPlace['env']
  /** The variables that decided about the login. Any may hold the key, whatever its name: inside is the placeholder instead. */
  variables?: readonly string[]
  /** Those of them that are no secret and that the agent needs inside as they are. */
  shown?: readonly string[]
  files?: readonly OwnFile[]
}

/** A key that Baton's proxy adds outside: only to questions for the model, and only below the service's own address. */
export function keyLogin({
  key,
  address,
  protocol,
  header = PROTOCOLS[protocol].header,
  environment,
  env,
  variables = [],
  shown = [],
  files = [],
}: Key): ReturnType<OutsideLoginOf> {
  const server = serverOf(address)
  if (!server || new URL(address).search !== '')
    return { reason: 'the address of its model is not that of a server without a login in it' }
  if (!key) return { reason: 'Baton finds no API key of it: other logins cannot stay outside' }
  if (!isHeaderText(key)) return { reason: 'its API key is not valid as a header' }
  const base = new URL(address).pathname.replace(/\/$/, '')
  return {
    server,
    headers: ({ method, path }) =>
      (method === 'POST' || method === 'GET') &&
      path.startsWith(`${base}/`) &&
      !isAmbiguousPath(path.slice(base.length)) &&
      PROTOCOLS[protocol][method].test(path.slice(base.length))
        ? { [header]: header === 'authorization' ? `Bearer ${key}` : key }
        : undefined,
    environment: {
      ...Object.fromEntries(
        variables.filter(name => env[name] && !shown.includes(name)).map(name => [name, PLACEHOLDER]),
      ),
      ...environment,
    },
    variables,
    files,
  }
}

type OutsideLoginOf = () => OutsideLogin | { reason: string }

interface Service {
  address: string
  protocol: Protocol
  /** Variables with its key. */
  variables: readonly string[]
}

const openAiLike = (address: string, variable: string): Service => ({
  address,
  protocol: 'openai',
  variables: [variable],
})

/** Model services by the names that opencode and pi give them. */
export const SERVICES: ReadonlyMap<string, Service> = new Map([
  [
    'anthropic',
    { address: 'https://api.anthropic.com', protocol: 'anthropic', variables: ['ANTHROPIC_API_KEY'] },
  ],
  [
    'google',
    {
      address: 'https://generativelanguage.googleapis.com',
      protocol: 'google',
      variables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    },
  ],
  ['openai', openAiLike('https://api.openai.com', 'OPENAI_API_KEY')],
  ['openrouter', openAiLike('https://openrouter.ai/api', 'OPENROUTER_API_KEY')],
  ['groq', openAiLike('https://api.groq.com/openai', 'GROQ_API_KEY')],
  ['mistral', openAiLike('https://api.mistral.ai', 'MISTRAL_API_KEY')],
  ['deepseek', openAiLike('https://api.deepseek.com', 'DEEPSEEK_API_KEY')],
  ['xai', openAiLike('https://api.x.ai', 'XAI_API_KEY')],
  ['cerebras', openAiLike('https://api.cerebras.ai', 'CEREBRAS_API_KEY')],
])

/** The key of a service among the user's variables. */
export const keyOf = (service: Service | undefined, env: LoginPlace['env']): string | undefined =>
  service?.variables.map(name => env[name]).find(value => value)
