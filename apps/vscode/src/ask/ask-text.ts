import type { Ask, AskOption } from '@batonpass/contract/ask'

/** What a notification says about an ask, and what can be answered there. */
export interface AskText {
  message: string
  /** False where a line cannot show all that is asked: an answer then comes after a look at the whole. */
  whole: boolean
}

export const LABELS: Record<AskOption, string> = {
  'allow-once': 'Allow once',
  'allow-session': 'Allow for this session',
  deny: 'Deny',
  'deny-with-reason': 'Deny with a reason…',
  yes: 'Yes',
  no: 'No',
}

/** VS Code shows no more than a few lines, and nothing tells where it cut. */
const MAX_LENGTH = 240
const LOOKED_AT = 1000

export function askText(ask: Ask): AskText {
  const { agent, project, cwd } = ask.facts
  // A title mostly says where already.
  const where = ask.title.includes(project ?? cwd ?? '/') ? undefined : nameOf(project ?? cwd)
  const about = [agent, where].filter(part => part !== undefined && part !== '').join(' in ')
  // An agent may ask about megabytes; only what could be shown is looked at.
  const detail = plain(ask.detail.slice(0, LOOKED_AT))
  const title = plain(ask.title)
  const said = title.includes(detail) || detail === '' ? title : `${title}: ${detail}`
  const whole =
    said.length <= MAX_LENGTH && ask.detail.length <= LOOKED_AT && isPlain(ask.detail) && isPlain(ask.title)
  const shown = said.length <= MAX_LENGTH ? said : `${said.slice(0, MAX_LENGTH)} …`
  return { message: about === '' ? shown : `${plain(about)}: ${shown}`, whole }
}

/** The whole question, for a page of its own. */
export function wholeText(ask: Ask): string {
  const { facts } = ask
  const rows = [
    ['Agent', facts.agent],
    ['Session', facts.nativeSession],
    ['Project', facts.project],
    ['Folder', facts.cwd],
    ['Tool', facts.tool],
    ['Open until', ask.expiresAt],
    ['Ask', ask.id],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${visible(value)}`]))
  return `${visible(ask.title)}\n\n${ask.detail.split('\n').map(visible).join('\n')}\n\n${rows.join('\n')}\n`
}

/** A notification makes links of `[text](target)`, also ones that run commands: what an agent wrote must not. */
export const plain = (text: string): string => visible(oneLine(text)).replaceAll('](', '] (')

/** Line ends stay visible, for they end commands. */
const oneLine = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll(/\s+/g, ' ')

/** Whether a line shows exactly this text. */
const isPlain = (text: string): boolean => plain(text) === text.trim().replaceAll(/\n+/g, ' ⏎ ')

/** Characters that hide or turn round what stands beside them are shown by their number. */
export const visible = (text: string): string =>
  text.replaceAll(HIDDEN, char => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu

const nameOf = (folder: string | undefined): string | undefined => folder?.split('/').filter(Boolean).at(-1)
