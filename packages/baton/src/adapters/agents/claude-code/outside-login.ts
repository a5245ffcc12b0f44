import { join } from 'node:path'
import { z } from 'zod'
import type { ContainmentFiles, OutsideLogin } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'

type Place = Omit<ContainmentFiles, 'project'>
type Variables = ContainmentFiles['env']

/** What Claude Code sends as its login inside. The proxy replaces it. */
export const PLACEHOLDER = 'sk-ant-baton-adds-the-login-outside-the-sandbox'

/** A token must last longer than any single answer. */
const LASTS_MS = 20 * 60_000

/** Variables that choose a model; none of them is a secret. */
const ABOUT_MODEL = /^ANTHROPIC_(?:BASE_URL|BETAS|SMALL_FAST_MODEL|(?:[A-Z]+_)*MODEL)$/

/**
 * The login that Claude Code would use, for a server over HTTP that takes it as a header. Undefined for the others: clouds that
 * want signed requests, programs that print keys, headers of the user's own, and a subscription's token that ends soon.
 */
export function outsideLogin(place: Place, nowMs: number): OutsideLogin | undefined {
  const settings = readJson(Settings, place, 'settings.json')
  if (!settings || settings.apiKeyHelper !== undefined) return undefined
  const env: Variables = { ...place.env, ...settings.env }
  if (env.ANTHROPIC_CUSTOM_HEADERS || Object.keys(env).some(name => /^CLAUDE_CODE_USE_/.test(name)))
    return undefined
  const server = serverOf(env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com')
  const found = headerOf(place, env, nowMs)
  if (!server || !found || !/^[\x21-\x7e]+$/.test(found.token)) return undefined
  const { variable } = found
  return {
    server,
    headers: () => loginHeaders(headerOf(place, env, undefined) ?? found),
    environment: {
      ...Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value !== undefined && ABOUT_MODEL.test(name) ? [[name, value]] : [],
        ),
      ),
      [variable]: PLACEHOLDER,
    },
  }
}

interface Found {
  variable: 'ANTHROPIC_AUTH_TOKEN' | 'ANTHROPIC_API_KEY' | 'CLAUDE_CODE_OAUTH_TOKEN'
  token: string
}

/** In Claude Code's own order. With a time, a token that ends soon does not count. */
function headerOf(place: Place, env: Variables, nowMs: number | undefined): Found | undefined {
  for (const variable of ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'] as const) {
    const token = env[variable]
    if (token) return { variable, token }
  }
  const login = readJson(Credentials, place, '.credentials.json')?.claudeAiOauth
  if (!login || (nowMs !== undefined && login.expiresAt - nowMs < LASTS_MS)) return undefined
  return { variable: 'CLAUDE_CODE_OAUTH_TOKEN', token: login.accessToken }
}

const loginHeaders = ({ variable, token }: Found): Record<string, string> =>
  variable === 'ANTHROPIC_API_KEY' ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }

/** A server without a login in its address. */
function serverOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.origin
}

const Settings = z.object({
  apiKeyHelper: z.unknown().optional(),
  env: z.record(z.string(), z.string()).optional(),
})
const Credentials = z.object({
  claudeAiOauth: z.object({ accessToken: z.string().min(1), expiresAt: z.number() }).optional(),
})

/** A file of Claude Code's own folder; an absent one is empty, another content than known is undefined. */
function readJson<T>(schema: z.ZodType<T>, place: Place, name: string): T | undefined {
  try {
    const text = place.read(join(ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude'), name))
    return schema.safeParse(JSON.parse(text ?? '{}')).data
  } catch {
    return undefined
  }
}
