import type { Ask, AskOption } from '@batonpass/contract/ask'
import { MAX_REASON_LENGTH } from '@batonpass/contract/ask'
import type { CallbackQuery, Message, Update, User } from 'grammy/types'
import type { Answered, AnswerHandler } from '../../ports/channel.ts'
import type { BotApi } from './bot-api.ts'
import { readCallback } from './callback.ts'
import { outcomeLine } from './question-messages.ts'
import type { AskRecord, Records } from './records.ts'
import type { TelegramSettings } from './settings.ts'
import { TelegramError } from './telegram-error.ts'
import { line } from './text.ts'

export interface UpdateContext {
  bot: string
  api: BotApi
  records: Records
  answering: AnswerHandler
  /** What is in force for the ask now: someone may have been taken off the list meanwhile. */
  settings(ask: Ask): Promise<TelegramSettings | undefined>
  inTurn<T>(ask: string, work: () => Promise<T>): Promise<T>
}

const CLOSED = 'This question is no longer open.'
const NOT_ALLOWED = 'You are not allowed to answer this.'
const WHY = 'Why not? Reply to this message; the agent is told what you write.'
const WHICH = 'Reply to the question itself with /allow or /deny, so that it is clear which one you mean.'

/** What one update means: a pressed button, a reason, a command, or nothing. Hearing it twice does no harm. */
export async function handleUpdate(update: Update, hearing: UpdateContext): Promise<void> {
  if (update.callback_query) await pressed(update.callback_query, hearing)
  else if (update.message) await written(update.message, hearing)
}

async function pressed(query: CallbackQuery, hearing: UpdateContext): Promise<void> {
  const tell = (text: string, alert = false) =>
    harmless(hearing.api.acknowledge(query.id, text.slice(0, 200), alert))
  const said = readCallback(query.data)
  const record = said && (await hearing.records.get(said.ask))
  if (!said || !record || record.bot !== hearing.bot) return tell(CLOSED)
  const { message } = query
  const fits = message !== undefined && message.chat.id === record.chat && said.nonce === record.nonce
  if (!fits || !(await mayAnswer(query.from, record, hearing))) return tell(NOT_ALLOWED, true)
  if (said.option === 'deny-with-reason') {
    await tell('Tell me why in your next message.')
    await askWhy(record, query.from, hearing)
    return
  }
  const answered = await answer(record, said.option, undefined, query.from, hearing)
  await tell(answered.verdict === 'taken' && answered.ask ? outcomeLine(answered.ask) : lateLine(answered))
}

/** One message that wants a reply; a second press brings no second one. */
function askWhy(
  { ask, chat }: AskRecord,
  from: User,
  { api, records, inTurn }: UpdateContext,
): Promise<void> {
  return inTurn(ask, async () => {
    const record = await records.get(ask)
    const replyTo = record?.parts.at(-1)
    if (!record || chat === undefined || record.prompts.some(prompt => prompt.user === from.id)) return
    await harmless(
      (async () => {
        const extra = { forceReply: true, ...(replyTo === undefined ? {} : { replyTo }) }
        const { id } = await api.send(chat, { text: WHY, entities: [] }, extra)
        record.prompts.push({ message: id, user: from.id })
        await records.save(record)
      })(),
    )
  })
}

async function written(message: Message, hearing: UpdateContext): Promise<void> {
  const { from, chat, text, reply_to_message: original } = message
  if (!from || text === undefined) return
  const inChat = (await hearing.records.all()).filter(r => r.bot === hearing.bot && r.chat === chat.id)
  const command = /^\/(allow|deny)(?:@\w{1,32})?(?:\s+([\s\S]*))?$/i.exec(text.trim())
  const record = inChat.find(
    one =>
      original !== undefined &&
      (one.parts.includes(original.message_id) || one.prompts.some(p => p.message === original.message_id)),
  )
  const say = (line: string) =>
    harmless(hearing.api.send(chat.id, { text: line, entities: [] }, { replyTo: message.message_id }))
  if (!record) {
    const [open] = inChat
    if (command && open && (await mayAnswer(from, open, hearing))) await say(WHICH)
    return
  }
  if (!(await mayAnswer(from, record, hearing))) return
  const isReason = record.prompts.some(prompt => prompt.message === original?.message_id)
  if (!command && !isReason) return
  const reason = command ? command[2]?.trim() : text.trim()
  const option = optionOf(command?.[1]?.toLowerCase() ?? 'deny', reason, record.offered)
  const answered = await answer(record, option, reason, from, hearing)
  if (answered.verdict !== 'taken') await say(lateLine(answered))
}

function optionOf(command: string, reason: string | undefined, offered: readonly AskOption[]): AskOption {
  if (command === 'allow') return offered.includes('yes') ? 'yes' : 'allow-once'
  if (offered.includes('no')) return 'no'
  return reason && offered.includes('deny-with-reason') ? 'deny-with-reason' : 'deny'
}

async function answer(
  record: AskRecord,
  option: AskOption,
  reason: string | undefined,
  from: User,
  { answering }: UpdateContext,
): Promise<Answered> {
  if (!record.offered.includes(option)) return { verdict: 'not-offered', ask: undefined }
  const said =
    option.startsWith('allow') || option === 'yes' ? undefined : reason?.slice(0, MAX_REASON_LENGTH)
  return answering.answer(record.ask, {
    option,
    by: { channel: 'telegram', who: nameOf(from) },
    fingerprint: record.fingerprint,
    ...(said ? { reason: said.toWellFormed() } : {}),
  })
}

function lateLine({ verdict, ask }: Answered): string {
  if (verdict === 'not-offered') return 'That answer is not offered for this question.'
  return ask && ask.state !== 'open' ? `${CLOSED} ${outcomeLine(ask)}` : CLOSED
}

async function mayAnswer(from: User, record: AskRecord, hearing: UpdateContext): Promise<boolean> {
  const ask = await hearing.answering.find(record.ask)
  const settings = ask && (await hearing.settings(ask))
  if (!settings) return false
  // A chat that is configured by number must still be that chat.
  if (/^-?\d+$/.test(settings.chat) && settings.chat !== String(record.chat)) return false
  return settings.users.length === 0 || settings.users.includes(String(from.id))
}

const nameOf = ({ username, first_name, id }: User): string =>
  line(username ? `@${username}` : first_name || String(id), 64)

/** Saying something back is a courtesy: that it fails changes nothing about the answer. */
async function harmless(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (!(cause instanceof TelegramError)) throw cause
  }
}
