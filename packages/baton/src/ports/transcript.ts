import type { Action, AgentName, PermissionMode } from '@batonpass/contract/event'

/** What one reply of the model used. */
export interface Usage {
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** How far a transcript was read. */
export interface TranscriptReading {
  offset: number
  /** The last reply that was counted: one reply may stand in several rows. */
  message?: string | undefined
}

/** An agent's own record of a session. It is written while we read, and nothing in it is to be trusted. */
export interface Transcripts {
  /** The agent has no hook for a turn that failed: only the error at the end of `tail` tells of it. */
  readonly failsSilently?: true
  /** The replies since the last reading; undefined when there is no transcript. Without `from`: from its present end on. */
  usage(
    path: string,
    from: TranscriptReading | undefined,
  ): Promise<{ replies: Usage[]; reading: TranscriptReading } | undefined>
  /** The end of the conversation as text, and the error of the model service if that is the last thing in it. */
  tail(path: string, limit: number): Promise<{ text: string; error: string | undefined } | undefined>
}

/** One point of an agent's own todo list. */
export interface Todo {
  text: string
  done: boolean
}

/** One thing that a transcript tells, in our words, oldest first. `at` is in milliseconds since the epoch. */
export type TranscriptItem = { at?: number | undefined } & (
  | { kind: 'about'; session?: string | undefined; cwd?: string | undefined }
  /** Words of a person; commands stand there as they were typed. */
  | { kind: 'prompt'; text: string }
  | { kind: 'reply'; id: string | undefined; text: string }
  | { kind: 'call'; id: string; tool: string; action: Action }
  /** The permission mode from now on, where the transcript says it. */
  | { kind: 'mode'; mode: PermissionMode | undefined }
  | { kind: 'result'; id: string; failed: boolean; text: string }
  /** The whole list, as it is from now on. */
  | { kind: 'todos'; items: readonly Todo[] }
)

export interface ContextSize {
  used: number
  size?: number
  model?: string
}

/** Reads one agent's transcripts to their end, or from it. Nothing in them is to be trusted, and their last line may be half written. */
export interface TranscriptReader {
  readonly agent: AgentName
  /** Whether a file that begins like this is such a transcript. */
  knows(head: string): boolean
  /** Whether this is the path of such a transcript, where one is no file of its own. */
  names?(path: string): boolean
  /** In pieces, so that no size of file fills the memory. Throws FileError where there is no such file. */
  read(path: string): AsyncIterable<readonly TranscriptItem[]>
  /** How many tokens the last request held; undefined before the first reply, and after the context was made smaller. */
  contextSize(path: string): Promise<number | undefined>
  /** The same with what else stands beside it: the model, and the window's size where the agent writes it down. */
  measure?(path: string): Promise<ContextSize | undefined>
}
