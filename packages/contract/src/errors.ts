/**
 * The closed set of error codes. Scripts match on them, so a code is never renamed.
 * This file must not import a schema library: every program loads it at startup, and hooks have to start fast.
 */
export const ERROR_CODES = [
  'usage',
  'config_invalid',
  'config_unreadable',
  'config_untrusted',
  'config_outside_project',
  'daemon_absent',
  'daemon_busy',
  'daemon_refused',
  'protocol_unsupported',
  'payload_invalid',
  'payload_too_large',
  'agent_unknown',
  'settings_unreadable',
  'settings_changed',
  'database_newer',
  'database_failed',
  'disk_full',
  'not_found',
  'not_allowed',
  'missing_tool',
  'forge_unauthorised',
  'forge_forbidden',
  'forge_rate_limited',
  'forge_unreachable',
  'forge_conflict',
  'forge_refused',
  'timed_out',
  'model_failed',
  'ask_closed',
  'undo_unavailable',
  'nothing_to_hand_off',
  'claim_refused',
  'claim_held',
  'claim_lost',
  'git_failed',
  'internal',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** An error as it crosses a process boundary. */
export interface ErrorBody {
  code: ErrorCode
  message: string
  remedy?: string | undefined
}

/** An expected failure: what happened, and what to do next. Any other thrown error is a bug. */
export class BatonError extends Error {
  readonly code: ErrorCode
  readonly remedy: string | undefined

  constructor(code: ErrorCode, message: string, options: { remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BatonError'
    this.code = code
    this.remedy = options.remedy
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, ...(this.remedy ? { remedy: this.remedy } : {}) }
  }
}
