import { join } from 'node:path'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { z } from 'zod'
import type { LoginPlace, LoginUse, OutsideLogin } from '../../../ports/agent.ts'
import { isAmbiguousPath } from '../../../ports/network.ts'
import { ownFolder } from '../own-folder.ts'
import { isHeaderText, PLACEHOLDER, serverOf } from '../own-login.ts'
import { claudeRenewal, placeholderCredentials, readCredentials } from './login-file.ts'

type Variables = LoginPlace['env']

/** A token must last longer than any single answer. */
const LASTS_MS = 20 * 60_000

/** Variables that choose a model; none of them is a secret. */
const ABOUT_MODEL = /^ANTHROPIC_(?:BASE_URL|BETAS|SMALL_FAST_MODEL|(?:[A-Z]+_)*MODEL)$/

/** The variables that decide about the login. */
const LOGIN_VARIABLES = /^(?:ANTHROPIC_.*|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_USE_.*|CLAUDE_CONFIG_DIR)$/

/**
 * Requests that get the login: questions to the model, and what Claude Code reads about the account and its settings. Others
 * of the same server could make a new key, or read conversations of the account.
 */
const LOGIN_FOR: Readonly<Record<string, RegExp>> = {
  POST: /^(?:\/[\w-]+)*\/v1\/messages(?:\/count_tokens)?$/,
  GET: /^(?:(?:\/[\w-]+)*\/v1\/models(?:\/[\w@-][\w.@-]*)?|\/api\/oauth\/(?:profile|usage|validate|org)|\/api\/claude_cli(?:_profile|\/\w+)?|\/api\/claude_code(?:\w*|\/\w+))$/,
}

/**
 * The login that Claude Code would use, for a server over HTTP that takes it as a header. Not for the others: clouds that
 * want signed requests, programs that print keys, headers of the user's own.
 */
export function outsideLogin(place: LoginPlace, use: LoginUse): OutsideLogin | { reason: string } {
  const folder = ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude')
  const settings = readJson(Settings, place, join(folder, 'settings.json'))
  if (!settings) return { reason: `Baton cannot read ${join(folder, 'settings.json')}` }
  if (settings.apiKeyHelper !== undefined)
    return { reason: 'apiKeyHelper is set: a program that prints keys cannot run in the sandbox' }
  const env: Variables = { ...place.env, ...settings.env }
  const cloud = Object.keys(env).find(name => /^CLAUDE_CODE_USE_/.test(name) && isOn(env[name]))
  if (cloud) return { reason: `${cloud} is set: Baton’s proxy cannot sign requests to a cloud` }
  if (env.ANTHROPIC_CUSTOM_HEADERS) return { reason: 'ANTHROPIC_CUSTOM_HEADERS is set, and may be a login' }
  const server = serverOf(env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com')
  if (!server) return { reason: 'ANTHROPIC_BASE_URL is not the address of a server without a login in it' }
  const found = findToken(place, env)
  if (!found) return { reason: 'Claude Code has no login. Start `claude` outside once and log in' }
  if (!isHeaderText(found.token)) return { reason: `${found.variable} is not valid as a header` }
  if (use.for === 'answer' && found.expiresAt !== undefined && found.expiresAt - use.now() < LASTS_MS)
    return { reason: 'The login ends soon. Start `claude` outside once: it renews it' }

  const path = join(folder, '.credentials.json')
  // With its own file, it knows the subscription and renews the login.
  const isFile = use.for === 'agent' && found.expiresAt !== undefined && isInside(path, place.home)
  return {
    server,
    headers: ({ method, path: wanted }) => {
      if (isAmbiguousPath(wanted) || !LOGIN_FOR[method]?.test(wanted)) return undefined
      return loginHeaders(findToken(place, env) ?? found)
    },
    environment: {
      ...Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value !== undefined && ABOUT_MODEL.test(name) ? [[name, value]] : [],
        ),
      ),
      ...(isFile ? {} : { [found.variable]: PLACEHOLDER }),
    },
    variables: Object.keys(place.env).filter(name => LOGIN_VARIABLES.test(name)),
    files: isFile ? [{ kind: 'private', path, text: placeholderCredentials(place.read(path)) }] : [],
    renewal: isFile ? claudeRenewal(path, use.now) : undefined,
  }
}

interface Found {
  variable: 'ANTHROPIC_AUTH_TOKEN' | 'ANTHROPIC_API_KEY' | 'CLAUDE_CODE_OAUTH_TOKEN'
  token: string
  /** Of the file with the login of a subscription. */
  expiresAt?: number
}

/** In Claude Code's own order. */
function findToken(place: LoginPlace, env: Variables): Found | undefined {
  for (const variable of ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'] as const) {
    const token = env[variable]
    if (token) return { variable, token }
  }
  const folder = ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude')
  const login = readCredentials(place.read(join(folder, '.credentials.json')))
  if (login)
    return { variable: 'CLAUDE_CODE_OAUTH_TOKEN', token: login.accessToken, expiresAt: login.expiresAt }
  const key = readJson(OwnState, place, stateFile(place))?.primaryApiKey
  return key ? { variable: 'ANTHROPIC_API_KEY', token: key } : undefined
}

const loginHeaders = ({ variable, token }: Found): Record<string, string> =>
  variable === 'ANTHROPIC_API_KEY' ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !/^(?:0|false|no|off|)$/i.test(value)

/** `.claude.json`, in the home folder unless Claude Code's folder was moved. */
export function stateFile(place: Pick<LoginPlace, 'home' | 'env'>): string {
  const isMoved = place.env.CLAUDE_CONFIG_DIR !== undefined && place.env.CLAUDE_CONFIG_DIR !== ''
  return join(isMoved ? ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude') : place.home, '.claude.json')
}

const Settings = z.object({
  apiKeyHelper: z.unknown().optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const OwnState = z.object({ primaryApiKey: z.string().optional() })

/** A file of Claude Code's own; an absent one is empty, another content than known is undefined. */
function readJson<T>(schema: z.ZodType<T>, place: LoginPlace, path: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(place.read(path) ?? '{}')).data
  } catch {
    return undefined
  }
}
