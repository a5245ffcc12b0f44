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
  deny: 'd',
  'deny-with-reason': 'r',
  yes: 'y',
  no: 'n',
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
