import type { Update } from 'grammy/types'
import type { ChannelMemory } from '../../ports/ask-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import type { BotApi } from './bot-api.ts'
import { backoffMs, pause } from './retry.ts'
import { TelegramError } from './telegram-error.ts'

export interface PollerParts {
  api: BotApi
  /** How long one long poll may wait. */
  seconds(): number
  memory: ChannelMemory
  /** The memory key of the offset. */
  key: string
  handle(update: Update): Promise<void>
  /** Called if the token is wrong: no more updates will arrive. */
  onUnauthorized(why: string): void
  warn(message: string): void
  clock: Clock
  timers: Timers
}

/** Telegram's limit for a long poll. */
const MAX_POLL_SECONDS = 50
/** How long to keep answering late button presses after the last question is settled. */
const LINGER_MS = 30_000
/** After a week of silence, Telegram may restart its numbering at a lower number. */
const OFFSET_GOOD_FOR_MS = 6 * 24 * 3600 * 1000
/** After this many failures an update is skipped: one bad message must not block all answers. */
const MAX_ATTEMPTS_PER_UPDATE = 5

/** The only reader of a bot's updates. It handles each update at least once, so handling is idempotent. */
export class Poller {
  readonly #parts: PollerParts
  readonly #waiting = new Set<string>()
  #stop: AbortController | undefined
  #running: Promise<void> = Promise.resolve()
  #cancelLinger = () => {}
  #warned = ''

  constructor(parts: PollerParts) {
    this.#parts = parts
  }

  /** Polls as long as at least one ask waits for an answer. */
  want(ask: string): void {
    this.#waiting.add(ask)
    this.#cancelLinger()
    if (this.#stop && !this.#stop.signal.aborted) return
    const stop = new AbortController()
    this.#stop = stop
    this.#running = this.#running.then(() => this.#run(stop.signal))
  }

  release(ask: string): void {
    if (!this.#waiting.delete(ask) || this.#waiting.size > 0) return
    this.#cancelLinger = this.#parts.timers.after(LINGER_MS, () => this.#stop?.abort())
  }

  async stop(): Promise<void> {
    this.#cancelLinger()
    this.#stop?.abort()
    await this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { api, seconds, timers, clock } = this.#parts
    const wait = (ms: number) => pause(ms, timers, signal)
    let offset = await this.#loadOffset().catch(() => 0)
    let failed = 0
    const tries = new Map<number, number>()
    while (!signal.aborted) {
      const began = clock.elapsed()
      try {
        const updates = await api.getUpdates(offset, Math.min(seconds(), MAX_POLL_SECONDS), signal)
        this.#warned = ''
        for (const update of inOrder(updates)) {
          if (update.update_id < offset || signal.aborted) continue
          await this.#handle(update, tries)
          offset = update.update_id + 1
          await this.#saveOffset(offset)
        }
        failed = 0
        // A server that does not hold the poll would be called in a busy loop: pause.
        const quick = updates.length === 0 && clock.elapsed() - began < 500
        if (quick) await wait(seconds() * 1000)
      } catch (cause) {
        if (signal.aborted) return
        const delayMs = this.#retryDelay(cause, ++failed)
        if (delayMs === undefined) return
        await wait(delayMs)
      }
    }
  }

  async #handle(update: Update, tries: Map<number, number>): Promise<void> {
    try {
      await this.#parts.handle(update)
      tries.delete(update.update_id)
    } catch (cause) {
      const count = (tries.get(update.update_id) ?? 0) + 1
      tries.set(update.update_id, count)
      if (count < MAX_ATTEMPTS_PER_UPDATE) throw cause
      this.#warn(`Skipped a Telegram update after ${count} attempts: ${messageOf(cause)}`)
    }
  }

  /** How long to wait before the next attempt; undefined if another attempt is useless. */
  #retryDelay(cause: unknown, failed: number): number | undefined {
    if (!(cause instanceof TelegramError)) {
      this.#warn(`Could not handle a Telegram update: ${messageOf(cause)}. Trying again.`)
      return backoffMs(failed)
    }
    switch (cause.kind) {
      case 'throttled':
        return cause.retryAfterMs
      case 'conflict':
        this.#warn(
          `${cause.message}. Another program reads this bot's messages and may take your answers. Create a separate bot for Baton.`,
        )
        return Math.max(backoffMs(failed), this.#parts.seconds() * 1000)
      case 'unreachable':
        this.#warn(`${cause.message}. Trying again.`)
        return backoffMs(failed)
      case 'unauthorized':
      case 'refused':
        this.#warn(`${cause.message}. Check telegram.token.`)
        this.#stop?.abort()
        this.#parts.onUnauthorized(cause.message)
        return undefined
    }
  }

  /** Warns about the same problem only once until it is over. */
  #warn(message: string): void {
    if (this.#warned === message) return
    this.#warned = message
    this.#parts.warn(message)
  }

  async #loadOffset(): Promise<number> {
    const stored = /^(\d+) (\d+)$/.exec((await this.#parts.memory.get(this.#parts.key)) ?? '')
    const age = this.#parts.clock.now() - Number(stored?.[2])
    return stored && age < OFFSET_GOOD_FOR_MS ? Number(stored[1]) : 0
  }

  async #saveOffset(offset: number): Promise<void> {
    await this.#parts.memory.set(this.#parts.key, `${offset} ${this.#parts.clock.now()}`)
  }
}

const inOrder = (updates: readonly Update[]): Update[] =>
  [...updates].sort((a, b) => a.update_id - b.update_id)

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
