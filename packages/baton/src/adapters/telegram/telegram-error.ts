/**
 * `throttled`: wait and try again. `conflict`: another program polls with this token. `unauthorized`: the token is
 * wrong. `refused`: this call will never work. `unreachable`: a network or server problem that may be temporary.
 */
export type TelegramErrorKind = 'throttled' | 'conflict' | 'unauthorized' | 'refused' | 'unreachable'

/** A failed call. Its message contains neither the token nor a URL with it, which is why it keeps no cause. */
export class TelegramError extends Error {
  readonly kind: TelegramErrorKind
  readonly retryAfterMs: number

  constructor(kind: TelegramErrorKind, message: string, retryAfterMs = 0) {
    super(message)
    this.name = 'TelegramError'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** Turns any error of the library into one without secrets. */
export function toTelegramError(method: string, cause: unknown, token: string): TelegramError {
  if (cause instanceof TelegramError) return cause
  const { error_code, description, parameters, error } = fieldsOf(cause)
  if (typeof error_code === 'number') {
    const detail = typeof description === 'string' ? description.replaceAll(token, '[redacted]') : ''
    const seconds = Number(fieldsOf(parameters).retry_after) || 1
    const kind = kindOf(error_code)
    return new TelegramError(
      kind,
      `Telegram answered ${method} with ${error_code} ${detail.slice(0, 300)}`,
      kind === 'throttled' ? seconds * 1000 : 0,
    )
  }
  // The inner error's message contains the URL with the token: use only its code.
  const code = fieldsOf(error).code ?? fieldsOf(error).type
  const why = typeof code === 'string' && /^[A-Za-z_-]{1,40}$/.test(code) ? code : 'no answer'
  return new TelegramError('unreachable', `Cannot reach Telegram for ${method} (${why})`)
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
