import type { Ask } from '@batonpass/contract/ask'
import { sessionLabel } from '@batonpass/contract/session-name'

/** The text of a notification about an ask. */
export interface AskText {
  message: string
  /** Whether the message shows the whole question. If not, the user can allow it only on its own page. */
  whole: boolean
}

/** VS Code shows only a few lines, and the extension cannot find out where VS Code cut them. */
const MAX_LENGTH = 240
const MAX_EXAMINED = 1000

export function askText(ask: Ask): AskText {
  const { agent, project, cwd, sessionName } = ask.facts
  // Most titles already contain the folder.
  const where = ask.title.includes(project ?? cwd ?? '/') ? undefined : nameOf(project ?? cwd)
  const who = [agent, sessionName && `“${sessionName}”`].filter(Boolean).join(' ')
  const about = [who, where].filter(part => part !== undefined && part !== '').join(' in ')
  // A question can be megabytes long: examine only what the notification could show.
  const detail = plain(subjectOf(ask).slice(0, MAX_EXAMINED))
  const title = plain(ask.title)
  const question = title.includes(detail) || detail === '' ? title : `${title}: ${detail}`
  const whole =
    question.length <= MAX_LENGTH &&
    ask.detail.length <= MAX_EXAMINED &&
    isPlain(ask.detail) &&
    isPlain(ask.title)
  const shown = question.length <= MAX_LENGTH ? question : `${question.slice(0, MAX_LENGTH)} …`
  return { message: about === '' ? shown : `${plain(about)}: ${shown}`, whole }
}

/** A notification has no room for choices and plans: the user reads them on the question's page, and while answering. */
function subjectOf({ kind, detail, questions = [] }: Ask): string {
  if (kind === 'plan') return ''
  return kind === 'question' ? questions.map(({ text }) => text).join('\n') : detail
}

/** The whole question, as text for its own page. Who asks comes first, where a picker may cover it. */
export function wholeText(ask: Ask): string {
  const { facts } = ask
  const rows = [
    ['Agent', facts.agent],
    [
      'Session',
      facts.nativeSession && sessionLabel({ name: facts.sessionName, nativeSession: facts.nativeSession }),
    ],
    ['Project', facts.project],
    ['Folder', facts.cwd],
    ['Tool', facts.tool],
    ['Open until', ask.expiresAt],
    ['Ask', ask.id],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${visible(value)}`]))
  return `${rows.join('\n')}\n\n${visible(ask.title)}\n\n${ask.detail.split('\n').map(visible).join('\n')}\n`
}

/** Notifications turn `[text](target)` into links, even links that run commands. An agent's text must never become one. */
export const plain = (text: string): string => visible(oneLine(text)).replaceAll('](', '] (')

/** Line breaks stay visible because they end commands. */
const oneLine = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll(/\s+/g, ' ')

/** Whether one line can show exactly this text. */
const isPlain = (text: string): boolean => plain(text) === text.trim().replaceAll(/\n+/g, ' ⏎ ')

/** Shows invisible characters, and those that change the writing direction, by their number. */
export const visible = (text: string): string =>
  text.replaceAll(HIDDEN, char => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu

const nameOf = (folder: string | undefined): string | undefined => folder?.split('/').filter(Boolean).at(-1)
