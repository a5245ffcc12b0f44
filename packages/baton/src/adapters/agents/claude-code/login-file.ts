import { z } from 'zod'
import type { LoginRenewal } from '../../../ports/agent.ts'
import { PLACEHOLDER, readLoginFile, replaceLoginFile } from '../own-login.ts'

const Login = z.looseObject({
  accessToken: z.string().min(1),
  refreshToken: z.string().min(1).optional(),
  expiresAt: z.number(),
  scopes: z.array(z.string()).optional(),
})
const Credentials = z.looseObject({ claudeAiOauth: Login.optional() })
/** What of a login is not secret. */
const KEPT = ['scopes', 'subscriptionType', 'rateLimitTier', 'expiresAt'] as const

const Request = z.object({
  grant_type: z.literal('refresh_token'),
  client_id: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .optional(),
})
const Answer = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive(),
  scope: z.string().optional(),
})

/** A login that lasts this long was renewed by another session, so the server need not be asked. Claude Code asks five minutes before its end. */
const FRESH_MS = 15 * 60_000

/** The login of a subscription in `.credentials.json`. */
export function readCredentials(text: string | undefined): z.infer<typeof Login> | undefined {
  try {
    return Credentials.safeParse(JSON.parse(text ?? '{}')).data?.claudeAiOauth
  } catch {
    return undefined
  }
}

/** `.credentials.json` as the agent inside finds it: when the login ends, and what it is for. Logins of MCP servers stay outside. */
export function placeholderCredentials(text: string | undefined): string {
  const login = readCredentials(text)
  const kept = KEPT.flatMap(name => (login && Object.hasOwn(login, name) ? [[name, login[name]]] : []))
  const tokens = { accessToken: PLACEHOLDER, refreshToken: PLACEHOLDER }
  return JSON.stringify({ claudeAiOauth: { ...Object.fromEntries(kept), ...tokens } })
}

/** How Claude Code renews the login of a subscription (2.1.325). */
export const claudeRenewal = (path: string, now: () => number): LoginRenewal => ({
  server: 'https://platform.claude.com',
  path: '/v1/oauth/token',
  exchange(request) {
    // Nothing else of it is sent: any program inside can make this request.
    const { grant_type, client_id } = Request.parse(JSON.parse(request))
    const login = readCredentials(readLoginFile(path))
    if (!login?.refreshToken) throw new Error('The login ended. Start `claude` outside once and log in')
    const lasts = login.expiresAt - now()
    if (lasts > FRESH_MS) return { answer: answerFor({ expires_in: Math.floor(lasts / 1000) }) }
    const { refreshToken: refresh_token, scopes } = login
    const scope = scopes?.join(' ')
    return { send: JSON.stringify({ grant_type, refresh_token, client_id, scope }) }
  },
  keep(text) {
    const answer = Answer.parse(JSON.parse(text))
    replaceLoginFile(path, known => {
      const file = Credentials.parse(known)
      const login = {
        ...file.claudeAiOauth,
        accessToken: answer.access_token,
        ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
        expiresAt: now() + answer.expires_in * 1000,
      }
      return { ...file, claudeAiOauth: login }
    })
    return answerFor(answer)
  },
})

const answerFor = ({ expires_in, scope }: Pick<z.infer<typeof Answer>, 'expires_in' | 'scope'>): string =>
  JSON.stringify({
    token_type: 'Bearer',
    access_token: PLACEHOLDER,
    refresh_token: PLACEHOLDER,
    expires_in,
    ...(scope === undefined ? {} : { scope }),
  })
