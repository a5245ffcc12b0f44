import { createHash } from 'node:crypto'
import type { Ask } from '@batonpass/contract/ask'
import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { ChannelMemory } from '../../ports/ask-store.ts'
import type { AnswerHandler, Channel, News } from '../../ports/channel.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Timers } from '../../ports/timers.ts'
import { type BotApi, openBotApi } from './bot-api.ts'
import { NONCE_LENGTH } from './callback.ts'
import { EMPTY } from './draft.ts'
import { handleUpdate, type UpdateContext } from './handle-update.ts'
import { Poller } from './poller.ts'
import { draftButtons, questionMessages, withDraft, withOutcome } from './question-messages.ts'
import { type AskRecord, Records } from './records.ts'
import { type RetryPolicy, withRetries } from './retry.ts'
import { type TelegramSettings, telegramSettings } from './settings.ts'
import { TelegramError } from './telegram-error.ts'

export interface TelegramParts {
  /** The current settings for the ask's project. */
  configFor(about: Pick<Ask, 'facts'>): Promise<Config['telegram']>
  memory: ChannelMemory
  warn(message: string): void
  clock: Clock
  timers: Timers
  ids: Ids
  /** Address of another Bot API server. */
  apiRoot?: string
}

const NAME = 'telegram'

/** Attempts to send a question before Baton asks the user on another channel. */
const MAX_SEND_ATTEMPTS = 4
const NOTICE_TIMEOUT_MS = 60_000
/** The limit for one message. */
const MAX_NOTICE_LENGTH = 4000

interface Bot {
  api: BotApi
  poller: Poller
  pollSeconds: number
}

/** Asks questions through Telegram, with one poller per bot, however many projects use it. */
export function telegramChannel(parts: TelegramParts): Channel {
  return new TelegramChannel(parts)
}

class TelegramChannel implements Channel {
  readonly name = NAME
  readonly #parts: TelegramParts
  readonly #records: Records
  readonly #bots = new Map<string, Promise<Bot>>()
  readonly #warned = new Set<string>()
  readonly #stop = new AbortController()
  /** The tail of each ask's queue: changes to one ask's record run one after the other. */
  readonly #queues = new Map<string, Promise<unknown>>()
  #answering: AnswerHandler | undefined

  constructor(parts: TelegramParts) {
    this.#parts = parts
    this.#records = new Records(parts.memory)
  }

  async start(answering: AnswerHandler): Promise<void> {
    this.#answering = answering
    for (const record of await this.#records.all()) {
      const ask = await answering.find(record.ask)
      if (!ask) await this.#records.delete(record.ask)
      // The ask was settled while its message could not be edited.
      else if (ask.state !== 'open') this.settle(ask).catch(cause => this.#warnOnce(messageOf(cause)))
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    const bots = await Promise.allSettled(this.#bots.values())
    await Promise.all(bots.map(bot => (bot.status === 'fulfilled' ? bot.value.poller.stop() : undefined)))
    await Promise.allSettled(this.#queues.values())
  }

  async show(ask: Ask, signal: AbortSignal): Promise<boolean> {
    const settings = await this.#settings(ask)
    if (!settings) return false
    return this.#inTurn(ask.id, async () => {
      const id = botId(settings.token)
      const bot = await this.#bot(settings)
      const known = await this.#records.get(ask.id)
      const { parts, offered } = questionMessages(ask)
      const record = known?.bot === id ? known : this.#newRecord(ask, id, offered)
      // Save before the first message, so that a button sent just before a crash still works.
      await this.#records.save(record)
      const retryPolicy: RetryPolicy = {
        timers: this.#parts.timers,
        signal: AbortSignal.any([signal, this.#stop.signal]),
        tries: MAX_SEND_ATTEMPTS,
        longestMs: Date.parse(ask.expiresAt) - this.#parts.clock.now(),
      }
      await this.#send(bot, settings, ask, record, parts, retryPolicy)
      bot.poller.want(ask.id)
      return true
    })
  }

  async settle(ask: Ask): Promise<void> {
    await this.#inTurn(ask.id, async () => {
      const record = await this.#records.get(ask.id)
      const settings = record && (await this.#settings(ask))
      if (!record) return
      // The bot was changed or disabled: Baton can no longer edit its messages.
      if (!settings || botId(settings.token) !== record.bot) return this.#records.delete(ask.id)
      const bot = await this.#bot(settings)
      bot.poller.release(ask.id)
      try {
        await this.#edit(bot, record, ask)
      } catch (cause) {
        // The next daemon finds the record and edits the message.
        if (this.#stop.signal.aborted) return
        throw cause
      }
      await this.#records.delete(ask.id)
    })
  }

  async tell({ project, text }: News): Promise<boolean> {
    const settings = await this.#settings({ facts: { project } })
    if (!settings) return false
    const { api } = await this.#bot(settings)
    const { timers } = this.#parts
    const retryPolicy: RetryPolicy = {
      timers,
      signal: this.#stop.signal,
      tries: MAX_SEND_ATTEMPTS,
      longestMs: NOTICE_TIMEOUT_MS,
    }
    await withRetries(
      () =>
        api.send(settings.chat, { text: text.slice(0, MAX_NOTICE_LENGTH).toWellFormed(), entities: [] }, {}),
      retryPolicy,
    )
    return true
  }

  async #send(
    { api }: Bot,
    settings: TelegramSettings,
    ask: Ask,
    record: AskRecord,
    parts: ReturnType<typeof questionMessages>['parts'],
    retryPolicy: RetryPolicy,
  ): Promise<void> {
    for (const [index, part] of parts.entries()) {
      if (index < record.parts.length) continue
      const isLast = index === parts.length - 1
      const extra = {
        ...(isLast ? { buttons: draftButtons(ask, record, record.draft ?? EMPTY) } : {}),
        ...(record.parts[0] === undefined ? {} : { replyTo: record.parts[0] }),
      }
      const shown = isLast && record.offered.includes('reply') ? withDraft(part, ask, EMPTY) : part
      const sent = await withRetries(() => api.send(settings.chat, shown, extra), retryPolicy)
      record.parts.push(sent.id)
      Object.assign(record, { chat: sent.chat, last: part, complete: isLast })
      await this.#records.save(record)
    }
  }

  async #edit({ api }: Bot, { chat, parts, last, prompts }: AskRecord, ask: Ask): Promise<void> {
    const message = parts.at(-1)
    if (chat === undefined || message === undefined || !last) return
    // Retry until it works; if this daemon stops first, the next one continues.
    const retryPolicy = {
      timers: this.#parts.timers,
      signal: this.#stop.signal,
      tries: Number.POSITIVE_INFINITY,
    }
    const final = (cause: unknown) => {
      // Already edited, deleted by the user, or too old: nothing left to do.
      if (!(cause instanceof TelegramError) || cause.kind !== 'refused') throw cause
    }
    await withRetries(() => api.edit(chat, message, withOutcome(last, ask)), retryPolicy).catch(final)
    for (const prompt of prompts)
      await withRetries(() => api.remove(chat, prompt.message), retryPolicy).catch(final)
  }

  async #settings(ask: Pick<Ask, 'facts'>): Promise<TelegramSettings | undefined> {
    const found = telegramSettings(await this.#parts.configFor(ask))
    if (found && 'warning' in found)
      this.#warnOnce(
        `Telegram is enabled but not usable: ${found.warning}. Until this is fixed, questions go to the other channels.`,
      )
    return found && 'settings' in found ? found.settings : undefined
  }

  async #bot(settings: TelegramSettings): Promise<Bot> {
    const id = botId(settings.token)
    const known = this.#bots.get(id)
    if (known) {
      const bot = await known
      bot.pollSeconds = settings.pollSeconds
      return bot
    }
    const opening = this.#open(id, settings)
    this.#bots.set(id, opening)
    // If it could not be opened, the next question tries again.
    opening.catch(() => this.#bots.delete(id))
    return opening
  }

  async #open(id: string, { token, pollSeconds }: TelegramSettings): Promise<Bot> {
    const { memory, clock, timers, apiRoot } = this.#parts
    const api = await openBotApi(token, apiRoot)
    const context: UpdateContext = {
      bot: id,
      api,
      records: this.#records,
      answering: this.#answerHandler(),
      settings: ask => this.#settings(ask),
      inTurn: (ask, work) => this.#inTurn(ask, work),
    }
    const poller = new Poller({
      api,
      seconds: () => bot.pollSeconds,
      memory,
      key: `offset:${id}`,
      handle: update => handleUpdate(update, context),
      onUnauthorized: () => void this.#reportLost(id),
      warn: message => this.#parts.warn(message),
      clock,
      timers,
    })
    const bot: Bot = { api, poller, pollSeconds }
    return bot
  }

  /** Reports that no answers can arrive through this bot any more. */
  async #reportLost(bot: string): Promise<void> {
    const records = await this.#records.all()
    const asks = records.filter(record => record.bot === bot).map(record => record.ask)
    this.#answering?.lost(NAME, asks)
  }

  #newRecord(ask: Ask, bot: string, offered: AskRecord['offered']): AskRecord {
    const nonce = this.#parts.ids.id(NONCE_LENGTH)
    const { id, fingerprint } = ask
    return { ask: id, bot, nonce, fingerprint, offered, parts: [], complete: false, prompts: [] }
  }

  #inTurn<T>(ask: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#queues.get(ask) ?? Promise.resolve()).then(work)
    const tail: Promise<void> = mine
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (this.#queues.get(ask) === tail) this.#queues.delete(ask)
      })
    this.#queues.set(ask, tail)
    return mine
  }

  #answerHandler(): AnswerHandler {
    if (!this.#answering) throw new BatonError('internal', 'The Telegram channel was not started')
    return this.#answering
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.#parts.warn(message)
  }
}

/** Identifies a bot without revealing its token. */
const botId = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
