import type { Update } from 'grammy/types'
import type { ChannelMemory } from '../../ports/ask-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import type { BotApi } from './bot-api.ts'
import { backoffMs, pause } from './retry.ts'
import { TelegramError } from './telegram-error.ts'

export interface PollerParts {
  api: BotApi
  /** How long one look for answers may wait. */
  seconds(): number
  memory: ChannelMemory
  /** Where the offset is kept. */
  key: string
  handle(update: Update): Promise<void>
  /** The token is wrong: nothing will be heard any more. */
  deaf(why: string): void
  warn(message: string): void
  clock: Clock
  timers: Timers
}

/** Telegram holds a long poll for so long at the most. */
const MAX_POLL_SECONDS = 50
/** After the last question is settled, late presses are answered for a while. */
const LINGER_MS = 30_000
/** After a week of silence Telegram may begin to count anew, from a lower number. */
const OFFSET_GOOD_FOR_MS = 6 * 24 * 3600 * 1000
/** An update that fails so often is passed over: one bad message must not stop all answers. */
const TRIES_PER_UPDATE = 5

/** The one reader of a bot's updates. Each is handled at least once, and its handling is idempotent. */
export class Poller {
  readonly #parts: PollerParts
  readonly #wanting = new Set<string>()
  #stop: AbortController | undefined
  #running: Promise<void> = Promise.resolve()
  #callOff = () => {}
  #warned = ''

  constructor(parts: PollerParts) {
    this.#parts = parts
  }

  /** Somebody waits for an answer. */
  want(who: string): void {
    this.#wanting.add(who)
    this.#callOff()
    if (this.#stop && !this.#stop.signal.aborted) return
    const stop = new AbortController()
    this.#stop = stop
    this.#running = this.#running.then(() => this.#run(stop.signal))
  }

  release(who: string): void {
    if (!this.#wanting.delete(who) || this.#wanting.size > 0) return
    this.#callOff = this.#parts.timers.after(LINGER_MS, () => this.#stop?.abort())
  }

  async stop(): Promise<void> {
    this.#callOff()
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
        // A server that does not hold the poll must not be asked without a pause.
        const quick = updates.length === 0 && clock.elapsed() - began < 500
        if (quick) await wait(seconds() * 1000)
      } catch (cause) {
        if (signal.aborted) return
        const again = this.#troubled(cause, ++failed)
        if (again === undefined) return
        await wait(again)
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
      if (count < TRIES_PER_UPDATE) throw cause
      this.#warn(`A Telegram update was passed over after ${count} tries: ${messageOf(cause)}`)
    }
  }

  /** How long to wait before the next try; undefined when there is no use in one. */
  #troubled(cause: unknown, failed: number): number | undefined {
    if (!(cause instanceof TelegramError)) {
      this.#warn(`A Telegram update could not be handled yet: ${messageOf(cause)}`)
      return backoffMs(failed)
    }
    switch (cause.kind) {
      case 'throttled':
        return cause.retryAfterMs
      case 'conflict':
        this.#warn(
          `${cause.message}. Another program reads this bot's messages, and answers may go to it: give Baton a bot of its own.`,
        )
        return Math.max(backoffMs(failed), this.#parts.seconds() * 1000)
      case 'unreachable':
        this.#warn(`${cause.message}; trying again`)
        return backoffMs(failed)
      case 'unauthorized':
      case 'refused':
        this.#warn(`${cause.message}. Check telegram.token.`)
        this.#stop?.abort()
        this.#parts.deaf(cause.message)
        return undefined
    }
  }

  /** The same trouble is told once, until it is over. */
  #warn(message: string): void {
    if (this.#warned === message) return
    this.#warned = message
    this.#parts.warn(message)
  }

  async #loadOffset(): Promise<number> {
    const kept = /^(\d+) (\d+)$/.exec((await this.#parts.memory.get(this.#parts.key)) ?? '')
    const age = this.#parts.clock.now() - Number(kept?.[2])
    return kept && age < OFFSET_GOOD_FOR_MS ? Number(kept[1]) : 0
  }

  async #saveOffset(offset: number): Promise<void> {
    await this.#parts.memory.set(this.#parts.key, `${offset} ${this.#parts.clock.now()}`)
  }
}

const inOrder = (updates: readonly Update[]): Update[] =>
  [...updates].sort((a, b) => a.update_id - b.update_id)

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
