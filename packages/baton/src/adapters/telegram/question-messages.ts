import type { Ask, AskOption } from '@batonpass/contract/ask'
import { duration } from '@batonpass/contract/duration'
import { isYes, OPTION_LABELS, outcomeLabel, REFUSALS } from '@batonpass/contract/labels'
import { choiceLabel } from '@batonpass/contract/replies'
import { shortSessionId } from '@batonpass/contract/session-name'
import { shortId } from '@batonpass/contract/short-id'
import { visible } from '@batonpass/contract/visible'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Text } from './bot-api.ts'
import { callbackData, choiceData } from './callback.ts'
import { type Draft, draftLines, replyTo } from './draft.ts'
import { line, split } from './text.ts'

const MAX_MESSAGE_LENGTH = 4096
/** Reserved in every message, so that the outcome fits under the last one. */
const OUTCOME_ROOM = 400
/** No one reads more messages than this, and Telegram would throttle them. */
const MAX_PARTS = 20

export interface QuestionMessages {
  parts: Text[]
  /** The buttons under the last part. If the text is not shown in full, the user can only refuse. */
  offered: AskOption[]
}

/** Splits an ask into messages that together show all of it. Formatting uses entities, so no text can break out of it. */
export function questionMessages(ask: Ask): QuestionMessages {
  const about = headOf(ask)
  const room = MAX_MESSAGE_LENGTH - OUTCOME_ROOM - about.length - 40
  const pieces = split(visible(ask.detail), room)
  if (pieces.length > MAX_PARTS) return tooLong(ask, about, pieces[0] ?? '')
  const parts = pieces.map((piece, index) => {
    const count = pieces.length > 1 ? `Part ${index + 1} of ${pieces.length}\n` : ''
    // Telegram drops white space at the end of a message, where a line break may be part of the command.
    const more = index < pieces.length - 1 ? '⤵' : ''
    return withBlock(index === 0 ? `${about}${count}\n` : `${count}\n`, piece, more)
  })
  return { parts, offered: [...ask.options] }
}

function tooLong(ask: Ask, about: string, beginning: string): QuestionMessages {
  const note = `⚠️ This question has ${ask.detail.length} characters, too many for Telegram. Only its beginning is shown, so you cannot allow it here. Read all of it with \`baton asks ${shortId(ask.id)}\` and answer there.\n`
  return {
    parts: [withBlock(`${about}${note}\n`, beginning.slice(0, 2500).toWellFormed())],
    offered: ask.options.filter(option => REFUSALS.includes(option)),
  }
}

function headOf({ title, facts, createdAt, expiresAt, id }: Ask): string {
  const { agent, project, cwd, nativeSession, sessionName } = facts
  return [
    `🔔 ${line(title, 200)}`,
    sessionName && line(sessionName, 80),
    [agent, nativeSession && `session ${line(shortSessionId(nativeSession), 60)}`].filter(Boolean).join(', '),
    project && !title.endsWith(` ${project}`) && `Project: ${line(project, 200)}`,
    cwd && cwd !== project && `Folder: ${line(cwd, 200)}`,
    `${shortId(id)}, expires in ${duration(Date.parse(expiresAt) - Date.parse(createdAt))}`,
  ]
    .filter(Boolean)
    .map(row => `${row}\n`)
    .join('')
}

function withBlock(head: string, block: string, more = ''): Text {
  if (block === '') return { text: head, entities: [] }
  return {
    text: `${head}${block}${more}`,
    entities: [{ type: 'pre', offset: head.length, length: block.length }],
  }
}

const ROWS: readonly (readonly [AskOption, string])[][] = [
  [
    ['allow-once', '✅ Allow'],
    ['deny', '❌ Deny'],
  ],
  [['allow-session', `✅ ${OPTION_LABELS['allow-session']}`]],
  [['allow-project', `✅ ${OPTION_LABELS['allow-project']}`]],
  [['allow-everywhere', `✅ ${OPTION_LABELS['allow-everywhere']}`]],
  [['deny-with-reason', `❌ ${OPTION_LABELS['deny-with-reason']}`]],
  [
    ['yes', `✅ ${OPTION_LABELS.yes}`],
    ['no', `❌ ${OPTION_LABELS.no}`],
  ],
  [['approve', `✅ ${OPTION_LABELS.approve}`]],
  [['send-back', `✏️ ${OPTION_LABELS['send-back']}`]],
  [['on-screen', `🖥 ${OPTION_LABELS['on-screen']}`]],
  [['decline', `❌ ${OPTION_LABELS.decline}`]],
]

function buttonsOf(ask: string, offered: readonly AskOption[], nonce: string): InlineKeyboardMarkup {
  return {
    inline_keyboard: ROWS.map(row =>
      row
        .filter(([option]) => offered.includes(option))
        .map(([option, text]) => ({ text, callback_data: callbackData({ option, ask, nonce }) })),
    ).filter(row => row.length > 0),
  }
}

const MAX_BUTTON_LENGTH = 60

/** The buttons of the question that is answered next, above those of the whole ask. */
export function draftButtons(
  ask: Ask,
  { offered, nonce }: { offered: readonly AskOption[]; nonce: string },
  draft: Draft,
): InlineKeyboardMarkup {
  const usual = buttonsOf(ask.id, offered, nonce)
  const question = ask.questions?.[draft.at]
  if (!question || !offered.includes('reply')) return usual
  const chosen = replyTo(question, draft)?.chosen ?? []
  const isMulti = question.kind === 'multi-choice'
  const button = (text: string, choice: number | 'next') => [
    { text, callback_data: choiceData({ ask: ask.id, nonce, question: draft.at, choice }) },
  ]
  const choices = (question.choices ?? []).map((choice, index) => {
    const mark = isMulti ? (chosen.includes(choice.value) ? '☑ ' : '☐ ') : ''
    return button(
      `${mark}${line(choiceLabel(choice), MAX_BUTTON_LENGTH)}${choice.recommended ? ' ⭐' : ''}`,
      index,
    )
  })
  const next = isMulti && (chosen.length > 0 || !question.optional) ? [button('Done', 'next')] : []
  const skip = question.optional && chosen.length === 0 ? [button('Skip', 'next')] : []
  return { inline_keyboard: [...choices, ...next, ...skip, ...usual.inline_keyboard] }
}

/** The message while its questions are answered one after the other. */
export function withDraft({ text, entities }: Text, ask: Ask, draft: Draft): Text {
  const rows = draftLines(ask.questions ?? [], draft).map(row => line(row, 120))
  const how = needsWords(ask, draft) ? ['✍️ Reply to this message with your answer.'] : []
  const added = [...rows, ...how]
    .slice(-4)
    .join('\n')
    .slice(0, OUTCOME_ROOM - 10)
    .toWellFormed()
  return added === '' ? { text, entities } : { text: `${text}\n\n${added}`, entities }
}

function needsWords({ questions = [] }: Ask, { at }: Draft): boolean {
  const question = questions[at]
  return question !== undefined && (question.ownWords === true || !question.choices?.length)
}

/** The message after the ask is settled. */
export function withOutcome({ text, entities }: Text, ask: Ask): Text {
  return { text: `${text}\n\n${outcomeLine(ask)}`, entities }
}

/** One line for the user about what became of an ask. */
export function outcomeLine(ask: Ask): string {
  switch (ask.state) {
    case 'open':
      return outcomeLabel(ask)
    case 'timed-out':
      return '⏰ Timed Out'
    case 'withdrawn':
      return `↩️ ${outcomeLabel(ask)}`
    case 'answered': {
      const { answer } = ask
      const by = answer ? ` by ${line(answer.by.who, 64)} (${line(answer.by.channel, 32)})` : ''
      const why = answer?.reason ? `: ${line(answer.reason, 200)}` : ''
      return `${answer ? `${isYes(answer.option) ? '✅' : '❌'} ` : ''}${line(outcomeLabel(ask), 200)}${by}${why}`
    }
  }
}
