import { type AnswerRequest, Ask, AskList } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { outcomeLabel } from '@batonpass/contract/labels'
import { EXIT, flag, type Given } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'

export type Chosen = Omit<AnswerRequest, 'fingerprint'>

/** Answers an ask for the person at this terminal. The daemon looks at who started us and decides whether it counts. */
export async function answer(
  given: Given,
  io: Io,
  choose: (ask: Ask) => Chosen | Promise<Chosen>,
  /** Which asks a command without an id may mean. */
  mayBe: (ask: Ask) => boolean = () => true,
): Promise<number> {
  const folder = folderOf(io)
  const [named] = given.positionals
  const asked =
    named === undefined
      ? await onlyOpenAsk(io, mayBe)
      : Ask.parse(await callDaemon(folder, 'GET', `/api/asks/${encodeURIComponent(named)}`))
  const body = { ...(await choose(asked)), fingerprint: asked.fingerprint }
  const ask = Ask.parse(await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { body }))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else if (ask.questions) io.stdout.write(`${printable(outcomeLabel(ask))}\n`)
  else io.stdout.write(`${printable(outcomeLabel(ask))}\n${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}

/**
 * The ask that is meant if none is named: the only open one, after the person has read it here. What they read elsewhere may
 * have been replaced by another since.
 */
async function onlyOpenAsk(io: Io, mayBe: (ask: Ask) => boolean): Promise<Ask> {
  const { asks } = AskList.parse(await callDaemon(folderOf(io), 'GET', '/api/asks'))
  const [only, ...others] = asks.filter(ask => ask.state === 'open' && mayBe(ask))
  const remedy = 'List them: baton asks'
  if (!only) throw new BatonError('not_found', 'Nothing waits for such an answer', { remedy })
  if (others.length > 0)
    throw new BatonError('usage', `${others.length + 1} asks are open, so say which one`, { remedy })
  if (!isInteractive(io)) throw new BatonError('usage', 'ASK is missing', { remedy })
  io.stdout.write(`${printable(only.title)}\n${printable(only.detail)}\n`)
  using questions = askAtTerminal(io)
  if (!(await questions.yes('Answer this one?', false))) throw new BatonError('usage', 'Nothing was answered')
  return only
}

/** Asks that `baton allow` and `baton deny` answer; questions, forms and plans need `baton answer`. */
export const isYesOrNo = ({ kind }: Ask): boolean => kind === 'permission' || kind === 'confirm'
