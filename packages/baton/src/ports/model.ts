/**
 * A model that answers one question and remembers nothing. It has no tools and sees no files: only the texts given here.
 * What it answers is a stranger's word. Rejects with a BatonError (`timed_out`, `missing_tool`, `model_failed`) that holds
 * neither the question nor a secret.
 */
export interface Model {
  /** An answer of exactly this shape, or a rejection: no text around it, no field more. */
  ask<T>(question: ModelQuestion, shape: AnswerShape<T>, signal: AbortSignal): Promise<T>
  /** An answer in plain text, never empty. */
  write(question: ModelQuestion, signal: AbortSignal): Promise<string>
}

export interface ModelQuestion {
  /** An alias such as `haiku`, or a model's full name. */
  model: string
  /** Our own words. */
  system: string
  /** What is judged; strangers' words stand here and nowhere else. */
  prompt: string
  withinMs: number
  /** The longest answer, in tokens, where the service takes a bound. */
  maxTokens: number
}

/** What an answer must look like: told to the model, and checked when it comes. */
export interface AnswerShape<T> {
  /** As JSON Schema, without naming a dialect of it. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Throws unless the value is exactly of this shape. */
  parse(value: unknown): T
}
