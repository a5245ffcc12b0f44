/**
 * `throttled`: wait and try again. `conflict`: somebody else polls with this token. `unauthorized`: the token is
 * wrong. `refused`: this call will never work. `unreachable`: network or server trouble that may pass.
 */
export type TelegramErrorKind = 'throttled' | 'conflict' | 'unauthorized' | 'refused' | 'unreachable'

/** A failed call, in words that hold neither the token nor an address with it; so the cause is not kept either. */
export class TelegramError extends Error {
  readonly kind: TelegramErrorKind
  readonly retryAfterMs: number

  constructor(kind: TelegramErrorKind, message: string, retryAfterMs = 0) {
    super(message)
    this.name = 'TelegramTrouble'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** Any error of the library as trouble without secrets. */
export function toTelegramError(method: string, cause: unknown, token: string): TelegramError {
  if (cause instanceof TelegramError) return cause
  const { error_code, description, parameters, error } = fieldsOf(cause)
  if (typeof error_code === 'number') {
    const said = typeof description === 'string' ? description.replaceAll(token, '[redacted]') : ''
    const seconds = Number(fieldsOf(parameters).retry_after) || 1
    const kind = kindOf(error_code)
    return new TelegramError(
      kind,
      `Telegram answered ${method} with ${error_code} ${said.slice(0, 300)}`,
      kind === 'throttled' ? seconds * 1000 : 0,
    )
  }
  // The inner error's message holds the address, and the address holds the token: only its code is told.
  const code = fieldsOf(error).code ?? fieldsOf(error).type
  const why = typeof code === 'string' && /^[A-Za-z_-]{1,40}$/.test(code) ? code : 'no answer'
  return new TelegramError('unreachable', `Telegram could not be reached for ${method} (${why})`)
}

function kindOf(status: number): TelegramErrorKind {
  if (status === 429) return 'throttled'
  if (status === 409) return 'conflict'
  if (status === 401 || status === 404) return 'unauthorized'
  return status >= 500 ? 'unreachable' : 'refused'
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
