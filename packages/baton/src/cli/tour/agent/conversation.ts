import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '../../../adapters/system/clock.ts'

const EMPTY_TOKENS = 9_000

/** What the agent's terminal works on until `/clear`. */
export class Conversation {
  readonly home: string
  readonly cwd: string
  id = crypto.randomUUID()
  transcript: Transcript
  tokens = EMPTY_TOKENS

  constructor(home: string, cwd: string) {
    this.home = home
    this.cwd = cwd
    this.transcript = new Transcript(home, cwd, this.id)
  }

  clear(): void {
    this.id = crypto.randomUUID()
    this.transcript = new Transcript(this.home, this.cwd, this.id)
    this.tokens = EMPTY_TOKENS
  }

  /** What every hook is told. */
  payload() {
    return {
      session_id: this.id,
      transcript_path: this.transcript.path,
      cwd: this.cwd,
      permission_mode: 'default',
    }
  }
}

/** The record of one conversation, in the rows that Claude Code writes. */
class Transcript {
  readonly path: string
  readonly #session: string
  readonly #cwd: string
  #rows = 0

  constructor(home: string, cwd: string, session: string) {
    this.path = join(home, '.claude', 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`)
    this.#session = session
    this.#cwd = cwd
    mkdirSync(dirname(this.path), { recursive: true })
  }

  prompt(text: string): void {
    this.#row({ type: 'user', message: { role: 'user', content: text } })
  }

  reply(content: readonly Record<string, unknown>[], contextTokens: number): void {
    const usage = {
      input_tokens: 400,
      cache_read_input_tokens: Math.max(0, contextTokens - 520),
      cache_creation_input_tokens: 0,
      output_tokens: 120,
    }
    const id = `msg_${this.#session.slice(0, 8)}_${this.#rows}`
    const message = { id, type: 'message', role: 'assistant', model: 'claude-scripted', content, usage }
    this.#row({ type: 'assistant', message })
  }

  result(id: string, text: string, failed: boolean): void {
    const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: failed }
    this.#row({ type: 'user', message: { role: 'user', content: [block] } })
  }

  #row(row: Readonly<Record<string, unknown>>): void {
    this.#rows++
    const common = { sessionId: this.#session, cwd: this.#cwd, isSidechain: false, uuid: crypto.randomUUID() }
    appendFileSync(
      this.path,
      `${JSON.stringify({ ...common, timestamp: new Date(systemClock.now()).toISOString(), ...row })}\n`,
    )
  }
}
