import type { Ask, AskOption } from '@batonpass/contract/ask'
import { OPTION_LABELS, outcomeLabel } from '@batonpass/contract/labels'
import { visible } from '@batonpass/contract/visible'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Text } from './bot-api.ts'
import { callbackData } from './callback.ts'
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
  const note = `⚠️ This question has ${ask.detail.length} characters, too many for Telegram. Only its beginning is shown, so you cannot allow it here. Read all of it with \`baton asks ${ask.id}\` and answer there.\n`
  return {
    parts: [withBlock(`${about}${note}\n`, beginning.slice(0, 2500).toWellFormed())],
    offered: ask.options.filter(option => option === 'no' || option.startsWith('deny')),
  }
}

function headOf({ title, facts, createdAt, expiresAt, id }: Ask): string {
  const { agent, project, cwd, nativeSession } = facts
  const seconds = Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000)
  return [
    `🔔 ${line(title, 200)}`,
    [agent, nativeSession && `session ${line(nativeSession, 60)}`].filter(Boolean).join(', '),
    project && `Project: ${line(project, 200)}`,
    cwd && cwd !== project && `Folder: ${line(cwd, 200)}`,
    `${id}, expires in ${seconds} s`,
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
  [['deny-with-reason', `❌ ${OPTION_LABELS['deny-with-reason']}`]],
  [
    ['yes', `✅ ${OPTION_LABELS.yes}`],
    ['no', `❌ ${OPTION_LABELS.no}`],
  ],
]

export function buttonsOf(ask: string, offered: readonly AskOption[], nonce: string): InlineKeyboardMarkup {
  return {
    inline_keyboard: ROWS.map(row =>
      row
        .filter(([option]) => offered.includes(option))
        .map(([option, text]) => ({ text, callback_data: callbackData({ option, ask, nonce }) })),
    ).filter(row => row.length > 0),
  }
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
      return `${answer ? `${isYes(answer.option) ? '✅' : '❌'} ` : ''}${outcomeLabel(ask)}${by}${why}`
    }
  }
}

const isYes = (option: AskOption): boolean => option === 'yes' || option.startsWith('allow')
