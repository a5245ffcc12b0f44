import type { Action, AgentName } from '@batonpass/contract/event'
import type { Todo } from './transcript.ts'

/** What a hosted agent reports while it works. */
export type BackendEvent =
  | { kind: 'text'; text: string; message?: string | undefined }
  | { kind: 'thought'; text: string }
  /** A tool call starts, or the agent reports more about it. */
  | { kind: 'call'; id: string; tool: string; title: string; input: unknown; action: Action }
  | { kind: 'result'; id: string; failed: boolean; text: string }
  | { kind: 'usage'; used: number; size: number | undefined }
  | { kind: 'todos'; items: readonly Todo[] }
  /** The turn continues on its own, with this prompt. */
  | { kind: 'continued'; prompt: string }

/** A tool call that needs approval. */
export interface ConsentRequest {
  nativeSession: string
  call: Extract<BackendEvent, { kind: 'call' }>
  /** The agent also offers to remember the approval itself. */
  always: boolean
}
/** A denial may include a reason. */
export type ConsentAnswer = 'allow' | 'always' | 'deny' | { deny: string }

export interface PromptOptions {
  /** Texts that the model sees before the prompt. */
  before?: readonly string[]
  /** The prompt is Baton's own question: not a person's prompt, and not a turn of a workflow. */
  own?: boolean
}

/** How a turn ended: on its own, interrupted, refused by the model, or stopped by one of the agent's limits. */
export type TurnEnd = 'ended' | 'cancelled' | 'refused' | 'limit'

/** A hosted agent with one conversation at a time. Failures are BatonError; a dead agent fails at the next call. */
export interface Backend {
  readonly agent: AgentName
  readonly pid: number | undefined
  /** The agent's own id of the open conversation. */
  readonly nativeSession: string | undefined
  /** Starts a new conversation and returns the agent's own id of it. Does not change the one that was open. */
  begin(): Promise<string>
  /** Resumes an earlier conversation; false if the agent cannot. */
  resume(nativeSession: string): Promise<boolean>
  /** Runs one turn to its end. */
  prompt(text: string, how?: PromptOptions): Promise<TurnEnd>
  /** Interrupts the running turn. */
  cancel(): Promise<void>
  listen(listener: (heard: BackendEvent) => void): () => void
  /** Resolves with the program's last output when the program has ended. */
  readonly gone: Promise<string>
  close(): Promise<void>
}

/** Wraps a backend: keeps its identity and replaces its methods. */
export function wrapBackend(
  backend: Backend,
  does: Omit<Backend, 'agent' | 'pid' | 'nativeSession' | 'gone'>,
): Backend {
  return {
    get agent() {
      return backend.agent
    },
    get pid() {
      return backend.pid
    },
    get nativeSession() {
      return backend.nativeSession
    },
    gone: backend.gone,
    ...does,
  }
}
