import { Ask, AskList } from '@batonpass/contract/ask'
import { outcomeLabel } from '@batonpass/contract/labels'
import { sessionLabel } from '@batonpass/contract/session-name'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { idFor, timeFor } from '../for-people.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** Lists questions that wait for a person, or shows one with everything it is about. */
export const asks: Handler = async (given, io) => {
  const folder = folderOf(io)
  const [wanted] = given.positionals
  const json = flag(given, 'json')
  if (wanted !== undefined) {
    const ask = Ask.parse(await callDaemon(folder, 'GET', `/api/asks/${encodeURIComponent(wanted)}`))
    if (json) io.stdout.write(`${JSON.stringify(ask)}\n`)
    else fitted(io)(describe(ask, io))
    return EXIT.ok
  }
  const which = flag(given, 'fleet') ? '?fleet=true' : flag(given, 'all') ? '?all=true' : ''
  const path = `/api/asks${which}`
  const list = AskList.parse(await callDaemon(folder, 'GET', path))
  if (json) io.stdout.write(`${JSON.stringify(list)}\n`)
  else if (list.asks.length === 0) io.stdout.write('Nothing waits for an answer.\n')
  else for (const ask of list.asks) fitted(io)(describe(ask, io))
  return EXIT.ok
}

/** All of it: what is cut off here could be what matters. */
function describe(ask: Ask, io: Io): string {
  const colour = paint(io)
  const { facts, answer } = ask
  const now = systemClock.now()
  const since = (at: string) => (io.columns === undefined ? `since ${at}` : timeFor(at, io, now))
  const until = (at: string) =>
    io.columns === undefined ? `open until ${at}` : `open, expires ${timeFor(at, io, now)}`
  const state =
    ask.state === 'open'
      ? colour('yellow', `${ask.parkedAt ? `parked ${since(ask.parkedAt)}, ` : ''}${until(ask.expiresAt)}`)
      : colour(
          'dim',
          answer
            ? printable(`${outcomeLabel(ask)} by ${answer.by.who} (${answer.by.channel})`)
            : outcomeLabel(ask),
        )
  const { agent, nativeSession, sessionName } = facts
  const session = nativeSession && sessionLabel({ name: sessionName, nativeSession })
  const about = [facts.machine && `on ${facts.machine}`, session, agent, facts.cwd ?? facts.project]
    .filter(Boolean)
    .join('  ')
  const detail = ask.detail
    .split('\n')
    .map(row => `    ${printable(row)}\n`)
    .join('')
  const how = ask.state === 'open' ? `  ${colour('dim', answerCommands(ask, io))}\n` : ''
  return `${colour('bold', idFor(ask.id, io))}  ${printable(ask.title)}  ${state}\n  ${printable(about)}\n${detail}${how}`
}

/** The commands that answer an ask. */
export function answerCommands(
  { id: whole, kind, rules, questions = [] }: Pick<Ask, 'id' | 'kind' | 'rules' | 'questions'>,
  io: Pick<Io, 'columns'>,
): string {
  const id = idFor(whole, io)
  switch (kind) {
    case 'permission':
    case 'confirm':
      if (rules?.project) return `baton allow ${id} [--project]   baton deny ${id}`
      return `baton allow ${id}   baton deny ${id}`
    case 'plan':
      return `baton answer ${id} --approve   baton answer ${id} --send-back "COMMENT"`
    case 'question':
    case 'form':
      return `baton answer ${id} ${questions.map((_, index) => `ANSWER${questions.length > 1 ? index + 1 : ''}`).join(' ')}`
  }
}
