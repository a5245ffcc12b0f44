import type { OutsideLogin, OwnFile } from '../../ports/agent.ts'
import { isHeaderText, serverOf } from './own-login.ts'

/** The header in which a model service expects a key. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key'

interface Key {
  key: string | undefined
  /** The address of the service, with the path below which it answers. */
  address: string
  header: KeyHeader
  /** How the agent finds the placeholder inside. */
  environment: Readonly<Record<string, string>>
  /** The variables that decided about the login. */
  variables?: readonly string[]
  files?: readonly OwnFile[]
}

/** Questions to a model, in the forms of OpenAI, Anthropic and Google, and the list of models. */
const QUESTION =
  /\/(?:chat\/completions|responses|messages(?:\/count_tokens)?|models\/[\w.@-]+:(?:generateContent|streamGenerateContent|countTokens))$/
const MODELS = /\/models(?:\/[\w.@/-]+)?$/

/** A key that Baton's proxy adds outside: only to questions for the model, and only below the service's own address. */
export function keyLogin({
  key,
  address,
  header,
  environment,
  variables = [],
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
      path.startsWith(`${base}/`) && { POST: QUESTION, GET: MODELS }[method]?.test(path)
        ? { [header]: header === 'authorization' ? `Bearer ${key}` : key }
        : undefined,
    environment,
    variables,
    files,
  }
}

type OutsideLoginOf = () => OutsideLogin | { reason: string }

interface Service {
  address: string
  header: KeyHeader
  /** Variables with its key. */
  variables: readonly string[]
}

const openAiLike = (address: string, variable: string): Service => ({
  address,
  header: 'authorization',
  variables: [variable],
})

/** Model services by the names that opencode and pi give them. */
export const SERVICES: ReadonlyMap<string, Service> = new Map([
  [
    'anthropic',
    { address: 'https://api.anthropic.com', header: 'x-api-key', variables: ['ANTHROPIC_API_KEY'] },
  ],
  [
    'google',
    {
      address: 'https://generativelanguage.googleapis.com',
      header: 'x-goog-api-key',
      variables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    },
  ],
  ['openai', openAiLike('https://api.openai.com', 'OPENAI_API_KEY')],
  ['openrouter', openAiLike('https://openrouter.ai/api', 'OPENROUTER_API_KEY')],
  ['groq', openAiLike('https://api.groq.com', 'GROQ_API_KEY')],
  ['mistral', openAiLike('https://api.mistral.ai', 'MISTRAL_API_KEY')],
  ['deepseek', openAiLike('https://api.deepseek.com', 'DEEPSEEK_API_KEY')],
  ['xai', openAiLike('https://api.x.ai', 'XAI_API_KEY')],
  ['cerebras', openAiLike('https://api.cerebras.ai', 'CEREBRAS_API_KEY')],
])

/** The key of a service among the user's variables. */
export const keyOf = (
  service: Service | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => service?.variables.map(name => env[name]).find(value => value)
