import type { Action, AgentName } from '@batonpass/contract/event'
import type { Todo } from './transcript.ts'

/** What an agent that Baton hosts tells while it works, in our words. */
export type BackendEvent =
  | { kind: 'text'; text: string; message?: string | undefined }
  | { kind: 'thought'; text: string }
  /** A tool is called, or more is known of the call. */
  | { kind: 'call'; id: string; tool: string; title: string; input: unknown; action: Action }
  | { kind: 'result'; id: string; failed: boolean; text: string }
  | { kind: 'usage'; used: number; size: number | undefined }
  | { kind: 'todos'; items: readonly Todo[] }
  /** The turn goes on by itself, with this prompt. */
  | { kind: 'continued'; prompt: string }

/** A tool call that needs a yes. */
export interface ConsentRequest {
  nativeSession: string
  call: Extract<BackendEvent, { kind: 'call' }>
  /** The agent also offers to remember a yes by itself. */
  always: boolean
}
/** A refusal may say why. */
export type ConsentAnswer = 'allow' | 'always' | 'deny' | { deny: string }

export interface PromptOptions {
  /** Told to the model before the prompt itself. */
  before?: readonly string[]
  /** Baton's own question: no word of a person, and no turn of a workflow. */
  own?: boolean
}

/** How a turn ended: by itself, because it was stopped, because the model refused, or at a limit of the agent's. */
export type TurnEnd = 'ended' | 'cancelled' | 'refused' | 'limit'

/** An agent without a terminal, one conversation at a time. Failures are BatonError; one that has died says so at the next call. */
export interface Backend {
  readonly agent: AgentName
  readonly pid: number | undefined
  /** The agent's own id of the conversation that is open. */
  readonly nativeSession: string | undefined
  /** Begins a fresh conversation and gives the agent's own id of it. What was open stays as it is. */
  begin(): Promise<string>
  /** Goes on with an earlier conversation; false where the agent cannot. */
  resume(nativeSession: string): Promise<boolean>
  /** One turn, to its end. */
  prompt(text: string, how?: PromptOptions): Promise<TurnEnd>
  /** Stops the turn that runs. */
  cancel(): Promise<void>
  listen(listener: (heard: BackendEvent) => void): () => void
  /** Resolves when the program is gone, with what it said last. */
  readonly gone: Promise<string>
  close(): Promise<void>
}

/** Stands before another backend: who the agent is stays the same, what it does is told anew. */
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
