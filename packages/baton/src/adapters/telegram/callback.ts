import type { AskOption } from '@batonpass/contract/ask'

/** What a pressed button sends: which option of which ask, and a nonce that only its message contains. */
export interface ButtonPress {
  option: AskOption
  ask: string
  nonce: string
}

const CODES: Record<AskOption, string> = {
  'allow-once': 'a',
  'allow-session': 's',
  'allow-project': 'j',
  'allow-everywhere': 'e',
  deny: 'd',
  'deny-with-reason': 'r',
  yes: 'y',
  no: 'n',
  reply: 'q',
  decline: 'x',
  approve: 'p',
  'send-back': 'b',
  'on-screen': 'o',
}
const OPTIONS = new Map(Object.entries(CODES).map(([option, code]) => [code, option as AskOption]))

export const NONCE_LENGTH = 16

/** At most 1 + 1 + 30 + 1 + 16 of the 64 bytes that Telegram allows. */
export function callbackData({ option, ask, nonce }: ButtonPress): string {
  return `${CODES[option]}:${ask}:${nonce}`
}

export function readCallback(data: string | undefined): ButtonPress | undefined {
  const [, code = '', ask = '', nonce = ''] =
    /^([a-z]):(ask_[0-9a-z]{16,26}):([0-9a-z]{16})$/.exec(data ?? '') ?? []
  const option = OPTIONS.get(code)
  return option && { option, ask, nonce }
}

/** A pressed choice of a question, both by their index; `next` ends a multi-choice or leaves an optional question out. */
export interface ChoicePress extends Omit<ButtonPress, 'option'> {
  question: number
  choice: number | 'next'
}

/** At most 1 + 1 + 30 + 1 + 16 + 1 + 6 bytes. */
export function choiceData({ ask, nonce, question, choice }: ChoicePress): string {
  return `c:${ask}:${nonce}:${question}.${choice === 'next' ? 'n' : choice}`
}

export function readChoice(data: string | undefined): ChoicePress | undefined {
  const [, ask = '', nonce = '', question, choice] =
    /^c:(ask_[0-9a-z]{16,26}):([0-9a-z]{16}):(\d{1,2})\.(\d{1,2}|n)$/.exec(data ?? '') ?? []
  if (question === undefined) return undefined
  return { ask, nonce, question: Number(question), choice: choice === 'n' ? 'next' : Number(choice) }
}
