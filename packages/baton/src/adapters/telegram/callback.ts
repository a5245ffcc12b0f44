import type { AskOption } from '@batonpass/contract/ask'

/** What a button says when it is pressed: which option of which ask, and a nonce that only its message holds. */
export interface Pressed {
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

/** At most 1 + 1 + 30 + 1 + 16 of the 64 bytes that Telegram takes. */
export function callbackData({ option, ask, nonce }: Pressed): string {
  return `${CODES[option]}:${ask}:${nonce}`
}

export function readCallback(data: string | undefined): Pressed | undefined {
  const [, code = '', ask = '', nonce = ''] =
    /^([a-z]):(ask_[0-9a-z]{16,26}):([0-9a-z]{16})$/.exec(data ?? '') ?? []
  const option = OPTIONS.get(code)
  return option && { option, ask, nonce }
}
