import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, AskList } from '@batonpass/contract/ask'
import type { StateFolder } from '../../config/state-folder.ts'
import { callDaemon } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'
import { askAtTerminal } from '../questions.ts'
import type { TourWorld } from './world.ts'

/** After this time the tour answers by itself. */
const PATIENCE_MS = 90_000

interface Asking {
  io: Io
  /** Without a person at the terminal, the tour answers as a careful person would. */
  isAlone: boolean
  signal: AbortSignal
  say(text: string): void
  world: TourWorld
}

/** Puts Baton's questions to the person at the terminal; an answer in the dashboard counts as well. */
export async function answerAsks(
  state: StateFolder,
  { io, isAlone, signal, say, world }: Asking,
): Promise<void> {
  const colour = paint(io)
  const seen = new Set<string>()
  while (!signal.aborted) {
    for (const ask of await open()) {
      if (seen.has(ask.id)) continue
      seen.add(ask.id)
      say(`${colour('yellow', '?')} ${colour('bold', told(ask.title))}\n${indented(told(ask.detail))}`)
      if (ask.kind === 'permission')
        say(
          `    ${colour('dim', 'This cannot be undone, so Baton asks you: here, in the browser, or on your phone.')}`,
        )
      // Without a sandbox, Baton asks about the project's own tests, too.
      const usual = ask.kind === 'confirm' || /^node --test$/m.test(ask.detail)
      const yes = isAlone ? usual : await question(ask, usual)
      if (yes === undefined) continue
      // Only the tour's own no has a reason: a person's answer gets no words that they did not write.
      const reason = isAlone && !yes ? ['--reason', 'no scripts from the internet'] : []
      await world
        .atTerminal(yes ? 'allow' : 'deny', ask.id, ...reason)
        .catch(() => say(colour('dim', '  (answered elsewhere)')))
    }
    await pause(200, undefined, { signal }).catch(() => {})
  }

  async function open(): Promise<Ask[]> {
    return AskList.parse(await callDaemon(state, 'GET', '/api/asks').catch(() => ({ asks: [] }))).asks
  }

  /** Undefined when it was answered elsewhere, or the tour ends. */
  async function question(ask: Ask, usual: boolean): Promise<boolean | undefined> {
    const settled = new AbortController()
    const patience = AbortSignal.timeout(PATIENCE_MS)
    const until = AbortSignal.any([signal, settled.signal, patience])
    using questions = askAtTerminal(io, until)
    const watching = watch(ask, settled, until)
    const words = ask.kind === 'confirm' ? '  Close it?' : '  Let it run?'
    const yes = await questions.yes(words, usual).catch(() => (patience.aborted ? usual : undefined))
    settled.abort()
    await watching
    return signal.aborted ? undefined : yes
  }

  async function watch(ask: Ask, settled: AbortController, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      if (!(await open()).some(({ id }) => id === ask.id)) settled.abort()
      await pause(300, undefined, { signal: until }).catch(() => {})
    }
  }

  function told(text: string): string {
    return text
      .replaceAll(/^file:.*\n/gm, '')
      .replaceAll(/folder\/you\/project#/g, '#')
      .replaceAll(`${world.dir}/`, '')
      .replace(/; no channel could reach a person/i, '')
      .trim()
  }
}

const indented = (text: string): string =>
  text
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(0, 12)
    .map(line => `    ${printable(line)}`)
    .join('\n')
