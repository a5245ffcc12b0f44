import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Turn } from '../turn.ts'

/** One vendor's wire form. A dialect reads requests and writes turns; it keeps no state and knows no script. */
export interface Dialect {
  name: string
  /** Whether this path belongs to the vendor's API. */
  owns: (path: string) => boolean
  read: (raw: RawRequest) => RequestReading
  /** Writes the whole answer to a request of kind main, side or compact. */
  answer: (turn: Turn, reading: RequestReading, response: ServerResponse) => void
  /** Answers count requests, which spend no turn. */
  count: (reading: RequestReading, response: ServerResponse) => void
  /** What a side request of this kind gets when the test has no opinion. */
  bland: (reading: RequestReading) => Turn
}

export interface RawRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

/**
 * main: the agent's loop (a subagent's too); side: titles, classifiers, quota probes;
 * compact: a request to summarise the conversation; count: token counting.
 */
export type RequestKind = 'main' | 'side' | 'compact' | 'count'

export interface RequestReading {
  kind: RequestKind
  /** The API key as sent. */
  key: string
  /** The agent's own session id, when the wire carries it. */
  session: string | undefined
  modelName: string
  stream: boolean
  /** All text of the request in order: system prompt, messages, tool results. */
  text: string
  /** The text of the first user message, where scripts look for their marker. */
  firstPrompt: string
  /** What was said since the last reply, tool results included; where the wire has one message for it, that one. */
  lastText: string
  toolNames: string[]
  toolResults: ToolResult[]
  /** What the real service would refuse; each makes the model unclean. */
  faults: string[]
}

export interface ToolResult {
  id: string
  text: string
  isError: boolean
}
