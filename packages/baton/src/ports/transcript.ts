import type { Action, AgentName, PermissionMode } from '@batonpass/contract/event'

/** The token usage of one reply. */
export interface Usage {
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** How far a transcript has been read. */
export interface TranscriptReading {
  offset: number
  /** The last counted reply. One reply may span several rows. */
  message?: string | undefined
}

/** An agent's own record of a session. The agent may write while Baton reads. Do not trust its content. */
export interface Transcripts {
  /** The agent has no hook for a failed turn: only the error at the end of `tail` shows it. */
  readonly failsSilently?: true
  /** The replies since the last reading; undefined without a transcript. Without `from`, reading starts at the current end. */
  usage(
    path: string,
    from: TranscriptReading | undefined,
  ): Promise<{ replies: Usage[]; reading: TranscriptReading } | undefined>
  /** The end of the conversation as text, and the model service's error if it ends with one. */
  tail(path: string, limit: number): Promise<{ text: string; error: string | undefined } | undefined>
}

/** One item of an agent's todo list. */
export interface Todo {
  text: string
  done: boolean
}

/** One item of a transcript, in Baton's own types. `at` is in milliseconds since the epoch. */
export type TranscriptItem = { at?: number | undefined } & (
  | { kind: 'about'; session?: string | undefined; cwd?: string | undefined }
  /** A person's prompt; commands appear as they were typed. `to`: it answers the agent, while the agent works. */
  | { kind: 'prompt'; text: string; to?: 'question' | 'tool' | undefined }
  /** The agent's summary of what it no longer sees. */
  | { kind: 'summary'; text: string }
  | { kind: 'reply'; id: string | undefined; text: string }
  | { kind: 'call'; id: string; tool: string; action: Action }
  /** The permission mode from here on, if the transcript contains it. */
  | { kind: 'mode'; mode: PermissionMode | undefined }
  | { kind: 'result'; id: string; failed: boolean; text: string }
  /** The complete todo list from here on. */
  | { kind: 'todos'; items: readonly Todo[] }
)

export interface ContextSize {
  used: number
  size?: number
  model?: string
}

/** Reads one agent's transcripts. Do not trust their content; the last line may be incomplete. */
export interface TranscriptReader {
  readonly agent: AgentName
  /** Whether a file with this beginning is a transcript of this agent. */
  knows(head: string): boolean
  /** Whether a path names a transcript, for agents that do not store one file per transcript. */
  names?(path: string): boolean
  /** Reads in chunks, so that a large file does not fill the memory. Throws FileError if the file does not exist. */
  read(path: string): AsyncIterable<readonly TranscriptItem[]>
  /** The number of tokens in the last request; undefined before the first reply and after a compaction. */
  contextSize(path: string): Promise<number | undefined>
  /** The same, with the model and, if the transcript contains it, the window's size. */
  measure?(path: string): Promise<ContextSize | undefined>
}
