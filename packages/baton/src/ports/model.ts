/**
 * A model that answers one question and remembers nothing. It has no tools and sees no files, only the texts given here.
 * Do not trust its answer. Rejects with a BatonError (`timed_out`, `missing_tool`, `model_failed`) that contains neither
 * the question nor a secret.
 */
export interface Model {
  /** Resolves with an answer of exactly this shape: no text around it, no extra field. Otherwise rejects. */
  ask<T>(question: ModelQuestion, shape: AnswerShape<T>, signal: AbortSignal): Promise<T>
  /** An answer in plain text, never empty. */
  write(question: ModelQuestion, signal: AbortSignal): Promise<string>
}

export interface ModelQuestion {
  /** An alias such as `haiku`, or a model's full name. */
  model: string
  /** Baton's own instructions. */
  system: string
  /** What is judged. Untrusted text appears only here. */
  prompt: string
  withinMs: number
  /** The maximum length of the answer in tokens, if the service supports a limit. */
  maxTokens: number
}

/**
 * What one call used, as far as the service says it. Reported once for each call, also for a failed one; `by` is the
 * program or `api`.
 */
export interface ModelUsage {
  by: string
  model: string
  inputTokens?: number
  outputTokens?: number
  /** In US dollars. With a subscription it counts against the quota instead. */
  usd?: number
}

/** Receives the usage of each call. Must not throw. */
export type OnModelUsage = (usage: ModelUsage) => void

/** The required shape of an answer. Sent to the model and checked when the answer arrives. */
export interface AnswerShape<T> {
  /** A JSON Schema without `$schema`. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Throws unless the value has exactly this shape. */
  parse(value: unknown): T
}
