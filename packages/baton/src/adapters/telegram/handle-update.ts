import { type Ask, type AskOption, MAX_REASON_LENGTH } from '@batonpass/contract/ask'
import { isYes, needsReason } from '@batonpass/contract/labels'
import type { AskedQuestion } from '@batonpass/contract/question'
import { MAX_REPLY_LENGTH } from '@batonpass/contract/reply-length'
import type { CallbackQuery, Message, Update, User } from 'grammy/types'
import type { Answered, AnswerHandler } from '../../ports/channel.ts'
import type { BotApi } from './bot-api.ts'
import { type ChoicePress, readCallback, readChoice } from './callback.ts'
import { type Draft, type Drafted, EMPTY, takeChoice, takeNext, takeWords } from './draft.ts'
import { draftButtons, outcomeLine, withDraft } from './question-messages.ts'
import type { AskRecord, Records } from './records.ts'
import type { TelegramSettings } from './settings.ts'
import { TelegramError } from './telegram-error.ts'
import { line } from './text.ts'

export interface UpdateContext {
  bot: string
  api: BotApi
  records: Records
  answering: AnswerHandler
  /** The current settings for the ask: a user may have been removed from the list since it was sent. */
  settings(ask: Ask): Promise<TelegramSettings | undefined>
  inTurn<T>(ask: string, work: () => Promise<T>): Promise<T>
}

const CLOSED = 'This question is no longer open.'
const NOT_ALLOWED = 'You are not allowed to answer this.'
const WHY = 'Why not? Reply to this message. Baton sends your reply to the agent.'
const COMMENT = 'What should change? Reply to this message. Baton sends your reply to the agent.'
const WHICH = 'Reply to the question itself with /allow or /deny, so that Baton knows which one you mean.'

/** Handles one update: a pressed button, a reason, a command, or nothing. Handling it twice does no harm. */
export async function handleUpdate(update: Update, context: UpdateContext): Promise<void> {
  if (update.callback_query) await handlePress(update.callback_query, context)
  else if (update.message) await handleMessage(update.message, context)
}

async function handlePress(query: CallbackQuery, context: UpdateContext): Promise<void> {
  const acknowledge = (text: string, alert = false) =>
    ignoreTelegramErrors(context.api.acknowledge(query.id, text.slice(0, 200), alert))
  const choice = readChoice(query.data)
  const press = choice ?? readCallback(query.data)
  const record = press && (await context.records.get(press.ask))
  if (!press || !record || record.bot !== context.bot) return acknowledge(CLOSED)
  const { message } = query
  const fits = message !== undefined && message.chat.id === record.chat && press.nonce === record.nonce
  if (!fits || !(await mayAnswer(query.from, record, context))) return acknowledge(NOT_ALLOWED, true)
  if ('choice' in press) {
    const said = await draftAnswer(record, query.from, context, (questions, draft) =>
      takePress(press, questions, draft),
    )
    return acknowledge(said ?? '')
  }
  if (needsReason(press.option)) {
    await acknowledge('Tell the agent why in your next message.')
    await askWhy(record, query.from, context, press.option === 'send-back' ? COMMENT : WHY)
    return
  }
  const answered = await answer(record, press.option, { from: query.from }, context)
  await acknowledge(lineAbout(answered))
}

const lineAbout = (answered: Answered): string =>
  answered.verdict === 'taken' && answered.ask ? outcomeLine(answered.ask) : lateLine(answered)

const takePress = (
  press: ChoicePress,
  questions: readonly AskedQuestion[],
  draft: Draft,
): Drafted | undefined =>
  press.choice === 'next'
    ? takeNext(questions, draft, press.question)
    : takeChoice(questions, draft, { question: press.question, choice: press.choice })

/** Takes one step of an answer to several questions. Returns what to tell the user, if anything. */
async function draftAnswer(
  { ask: id }: AskRecord,
  from: User,
  context: UpdateContext,
  take: (questions: readonly AskedQuestion[], draft: Draft) => Drafted | undefined,
): Promise<string | undefined> {
  const ask = await context.answering.find(id)
  if (ask?.state !== 'open') return lateLine({ verdict: 'closed', ask })
  const step = await context.inTurn(id, async () => {
    const record = await context.records.get(id)
    if (!record?.offered.includes('reply')) return undefined
    const drafted = take(ask.questions ?? [], record.draft ?? EMPTY)
    if (drafted && 'draft' in drafted) {
      record.draft = drafted.draft
      await context.records.save(record)
      if (!drafted.done) await ignoreTelegramErrors(showDraft(record, ask, drafted.draft, context))
    }
    return drafted && { drafted, record }
  })
  if (!step) return undefined
  const { drafted, record } = step
  if ('problem' in drafted) return drafted.problem
  if (!drafted.done) return undefined
  const answered = await answer(record, 'reply', { from, replies: drafted.draft.replies }, context)
  return lineAbout(answered)
}

async function showDraft(
  { chat, parts, last, ...record }: AskRecord,
  ask: Ask,
  draft: Draft,
  { api }: UpdateContext,
): Promise<void> {
  const message = parts.at(-1)
  if (chat === undefined || message === undefined || !last) return
  await api.edit(chat, message, withDraft(last, ask, draft), draftButtons(ask, record, draft))
}

/** Sends one message that asks for the reason; a second press does not send a second one. */
function askWhy(
  { ask, chat }: AskRecord,
  from: User,
  { api, records, inTurn }: UpdateContext,
  words: string,
): Promise<void> {
  return inTurn(ask, async () => {
    const record = await records.get(ask)
    const replyTo = record?.parts.at(-1)
    if (!record || chat === undefined || record.prompts.some(prompt => prompt.user === from.id)) return
    await ignoreTelegramErrors(
      (async () => {
        const extra = { forceReply: true, ...(replyTo === undefined ? {} : { replyTo }) }
        const { id } = await api.send(chat, { text: words, entities: [] }, extra)
        record.prompts.push({ message: id, user: from.id })
        await records.save(record)
      })(),
    )
  })
}

async function handleMessage(message: Message, context: UpdateContext): Promise<void> {
  const { from, chat, text, reply_to_message: original } = message
  if (!from || text === undefined) return
  const inChat = (await context.records.all()).filter(r => r.bot === context.bot && r.chat === chat.id)
  const command = /^\/(allow|deny)(?:@\w{1,32})?(?:\s+([\s\S]*))?$/i.exec(text.trim())
  const record = inChat.find(
    each =>
      original !== undefined &&
      (each.parts.includes(original.message_id) || each.prompts.some(p => p.message === original.message_id)),
  )
  const reply = (line: string) =>
    ignoreTelegramErrors(
      context.api.send(chat.id, { text: line, entities: [] }, { replyTo: message.message_id }),
    )
  if (!record) {
    const [open] = inChat
    if (command && open && (await mayAnswer(from, open, context))) await reply(WHICH)
    return
  }
  if (!(await mayAnswer(from, record, context))) return
  const isReason = record.prompts.some(prompt => prompt.message === original?.message_id)
  if (!command && !isReason && record.offered.includes('reply')) {
    const words = text.slice(0, MAX_REPLY_LENGTH).toWellFormed()
    const said = await draftAnswer(record, from, context, (questions, draft) =>
      takeWords(questions, draft, words),
    )
    if (said && (await context.answering.find(record.ask))?.state === 'open') await reply(said)
    return
  }
  // A reply to a plan is the comment with which it goes back.
  if (!command && !isReason && !record.offered.includes('send-back')) return
  const reason = command ? command[2]?.trim() : text.trim()
  const option = optionOf(command?.[1]?.toLowerCase() ?? 'deny', reason, record.offered)
  const answered = await answer(record, option, { from, reason }, context)
  if (answered.verdict !== 'taken') await reply(lateLine(answered))
}

function optionOf(command: string, reason: string | undefined, offered: readonly AskOption[]): AskOption {
  const known = (...options: AskOption[]) => options.find(option => offered.includes(option))
  if (command === 'allow') return known('yes', 'approve') ?? 'allow-once'
  const refusal = known('no', 'send-back', 'decline')
  if (refusal) return refusal
  return reason && offered.includes('deny-with-reason') ? 'deny-with-reason' : 'deny'
}

async function answer(
  record: AskRecord,
  option: AskOption,
  { from, reason, replies }: { from: User; reason?: string | undefined; replies?: Draft['replies'] },
  { answering }: UpdateContext,
): Promise<Answered> {
  if (!record.offered.includes(option)) return { verdict: 'not-offered', ask: undefined }
  const shortened = isYes(option) ? undefined : reason?.slice(0, MAX_REASON_LENGTH)
  return answering.answer(record.ask, {
    option,
    by: { channel: 'telegram', who: nameOf(from) },
    fingerprint: record.fingerprint,
    ...(replies ? { replies } : {}),
    ...(shortened ? { reason: shortened.toWellFormed() } : {}),
  })
}

function lateLine({ verdict, ask }: Answered): string {
  if (verdict === 'not-offered') return 'This question does not accept that answer.'
  if (verdict === 'reason-missing') return 'Say what should change: reply with /deny and your comment.'
  return ask && ask.state !== 'open' ? `${CLOSED} ${outcomeLine(ask)}` : CLOSED
}

async function mayAnswer(from: User, record: AskRecord, context: UpdateContext): Promise<boolean> {
  const ask = await context.answering.find(record.ask)
  const settings = ask && (await context.settings(ask))
  if (!settings) return false
  // If the settings name a chat by number, the message must still be in that chat.
  if (/^-?\d+$/.test(settings.chat) && settings.chat !== String(record.chat)) return false
  return settings.users.length === 0 || settings.users.includes(String(from.id))
}

const nameOf = ({ username, first_name, id }: User): string =>
  line(username ? `@${username}` : first_name || String(id), 64)

/** A reply is a courtesy: if it fails, the answer still counts. */
async function ignoreTelegramErrors(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (!(cause instanceof TelegramError)) throw cause
  }
}
