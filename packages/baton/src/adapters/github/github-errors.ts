import type { z } from 'zod'
import { ForgeError } from '../../ports/forge.ts'

interface Reading {
  scrub: (text: string) => string
  now: number
}

/** Turns an Octokit failure into a ForgeError. Does not keep the original as cause, because it contains headers and bodies. */
export function asForgeError(error: unknown, reading: Reading): ForgeError {
  if (error instanceof ForgeError) return error
  const facts = factsOf(error)
  const said = reading.scrub(facts.message).slice(0, 500)
  const cause = new Error(said)
  const limited = rateLimit(facts, reading.now)
  if (limited !== undefined) {
    return new ForgeError('rate-limited', `GitHub asks us to wait: ${said}`, {
      cause,
      retryAt: limited,
      remedy: 'Baton tries again by itself after that time.',
    })
  }
  const type = facts.types.find(known => known in byType)
  if (type) return byType[type]?.(said, cause) ?? unexpected(said, cause)
  if (facts.types.length > 0 || facts.isGraphql) {
    if (/doesn't exist on type|undefinedField|Unknown (field|type)|Cannot query field/i.test(said)) {
      return new ForgeError('unsupported', `This GitHub server does not support the request: ${said}`, {
        cause,
      })
    }
    if (/something went wrong|timeout/i.test(said)) return away(said, cause)
    return new ForgeError('refused', `GitHub refused: ${said}`, { cause })
  }
  return byStatus(facts, said, cause)
}

function byStatus(facts: Facts, said: string, cause: Error): ForgeError {
  switch (facts.status) {
    case 401:
      return new ForgeError('unauthorised', `GitHub does not accept the token: ${said}`, {
        cause,
        remedy: 'Set GITHUB_TOKEN to a valid token, or run `gh auth login`.',
      })
    case 403:
    case 451:
      return forbidden(said, cause, facts.headers['x-github-sso'] !== undefined)
    case 404:
    case 410:
      return new ForgeError('not-found', `GitHub did not find it, or the token may not read it: ${said}`, {
        cause,
        remedy: 'Check the number and repository, and that the token may read it.',
      })
    case 409:
      return new ForgeError('conflict', `GitHub reports a conflict: ${said}`, { cause })
    case 422:
      return /already exists|already been taken/i.test(said)
        ? new ForgeError('conflict', `It already exists: ${said}`, { cause })
        : new ForgeError('refused', `GitHub refused: ${said}`, { cause })
    default:
      if (facts.status === undefined || facts.status >= 500) return away(said, cause)
      return new ForgeError('refused', `GitHub answered ${facts.status}: ${said}`, { cause })
  }
}

function forbidden(said: string, cause?: Error, sso = false): ForgeError {
  return new ForgeError('forbidden', `The token may not do this: ${said}`, {
    ...(cause ? { cause } : {}),
    remedy: sso
      ? 'Authorise the token for the organisation (single sign-on) in its settings on GitHub.'
      : 'Give the token the rights it lacks (repo; for boards also project: `gh auth refresh -s project`).',
  })
}

function away(said: string, cause: Error): ForgeError {
  return new ForgeError('unreachable', `GitHub cannot be reached: ${said}`, {
    cause,
    remedy: 'Baton tries again by itself. If the problem lasts, check the network.',
  })
}

function unexpected(said: string, cause: Error): ForgeError {
  return new ForgeError('refused', `GitHub refused: ${said}`, { cause })
}

/** The error for an answer that does not match GitHub's schema. Baton never guesses. */
export function unreadable(what: string, error: z.ZodError): ForgeError {
  const where = error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('; ')
  return new ForgeError('unreachable', `GitHub's answer to ${what} could not be read (${where})`, {
    remedy: 'Check that the address is GitHub’s API, and that no proxy answers instead.',
  })
}

const byType: Record<string, (said: string, cause: Error) => ForgeError> = {
  NOT_FOUND: (said, cause) =>
    new ForgeError('not-found', said, {
      cause,
      remedy: 'Check the number and repository, and that the token may read it.',
    }),
  FORBIDDEN: (said, cause) => forbidden(said, cause),
  INSUFFICIENT_SCOPES: (said, cause) => forbidden(said, cause),
  UNPROCESSABLE: (said, cause) => new ForgeError('refused', `GitHub refused: ${said}`, { cause }),
  SERVICE_UNAVAILABLE: away,
}

/** When Baton may call again, if GitHub reported a rate limit. */
function rateLimit({ status, headers, message, types }: Facts, now: number): number | undefined {
  const isSecondary = /secondary rate|abuse detection/i.test(message)
  const isPrimary = headers['x-ratelimit-remaining'] === '0' || types.includes('RATE_LIMITED')
  if (status !== undefined && ![200, 403, 429].includes(status)) return undefined
  if (!isSecondary && status !== 429 && !(isPrimary && (status === 403 || types.includes('RATE_LIMITED')))) {
    return undefined
  }
  const after = Number(headers['retry-after'])
  if (after > 0 && after < 86_400) return now + after * 1000
  const reset = Number(headers['x-ratelimit-reset']) * 1000
  // One second later, but never absurdly far in the future because of a wrong clock or header.
  if (!isSecondary && reset > now) return Math.min(reset + 1000, now + 3_600_000 * 2)
  return now + 60_000
}

interface Facts {
  status: number | undefined
  headers: Record<string, string | undefined>
  message: string
  types: string[]
  isGraphql: boolean
}

function factsOf(error: unknown): Facts {
  const top = record(error)
  const response = record(top.response)
  const list = top.errors ?? record(response.data).errors ?? response.errors
  const isGraphql = top.name === 'GraphqlResponseError'
  const errors = Array.isArray(list) ? list.map(record) : []
  const message = error instanceof Error ? describe(error, errors) : String(error)
  // Octokit reports status 500 for a call without an answer.
  const status = typeof top.status === 'number' && response.status !== undefined ? top.status : undefined
  const own = record(isGraphql ? top.headers : response.headers)
  const headers = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, String(value)]))
  const types = errors.map(({ type }) => type).filter(type => typeof type === 'string')
  return {
    status: isGraphql ? 200 : status,
    headers,
    message,
    types: isGraphql ? types : ratesOnly(types),
    isGraphql,
  }
}

const ratesOnly = (types: string[]) => types.filter(type => type === 'RATE_LIMITED')

function describe(error: Error, errors: Record<string, unknown>[]): string {
  if (errors.length === 0) {
    const reason = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return `${error.message}${reason}`
  }
  const details = errors.map(({ message }) => message).filter(message => typeof message === 'string')
  return details.length > 0 ? details.join('; ') : error.message
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
