import { createInterface } from 'node:readline/promises'
import { EntryList } from '@batonpass/contract/api'
import { AskList } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry } from '@batonpass/contract/journal'
import { onPath } from '../../adapters/system/on-path.ts'
import { stateDir } from '../../config/places.ts'
import { type StateFolder, stateFolder } from '../../config/state-folder.ts'
import { secretFile } from '../../daemon/secret-file.ts'
import { programPaths } from '../../hook/program.ts'
import { loginLink } from '../commands/dashboard.ts'
import { callDaemon, followDaemon } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'
import { narrate } from './narrate.ts'
import { playPeople, stateIn } from './people.ts'
import { ISSUE, type TourWorld, tourWorld } from './world.ts'

const LONGEST_MS = 5 * 60_000

export interface TourOptions {
  /** Questions are answered by the tour itself. */
  yes: boolean
  paceMs: number
  keep: boolean
}

/** Shows Baton at work in a world of its own: real hooks, daemon and engine; agent, model and forge are scripted. */
export async function runTour(options: TourOptions, io: Io): Promise<number> {
  for (const program of ['tmux', 'git'])
    if (!onPath(program, io.env))
      throw new BatonError('missing_tool', `The tour needs ${program}`, { remedy: `Install ${program}.` })
  const colour = paint(io)
  const say = (text: string) => io.stdout.write(`${text}\n`)
  const over = new AbortController()
  const signal = AbortSignal.any([io.signal, over.signal, AbortSignal.timeout(LONGEST_MS)])
  say(colour('dim', 'Setting up a home, a repository and a terminal of its own ...'))
  const world = await tourWorld(io.env.PATH ?? '')
  const following: Promise<unknown>[] = []
  try {
    const folder = stateFolder(stateDir(world.env, world.home))
    await world.baton('init', '--agent', 'claude')
    await begin(world, folder)
    following.push(follow(folder), answer(folder))
    const finished = playPeople(world, text => say(colour('dim', `  ${text}`)), {
      paceMs: options.paceMs,
      signal,
    })
    await finished.catch(cause => {
      if (!io.signal.aborted) throw cause
    })
    if (io.signal.aborted) return 130
    await summary(world, folder)
    if (io.isTTY && !options.yes) await lastLook()
    return 0
  } finally {
    over.abort()
    await Promise.allSettled(following)
    if (options.keep) say(`Kept: ${world.dir}`)
    else await world.remove()
  }

  async function begin(world: TourWorld, folder: StateFolder): Promise<void> {
    const { node, cli } = programPaths()
    await world.baton('claim', String(ISSUE.number))
    const agent = [node, cli, 'tour-agent', '--pace', String(options.paceMs)]
    await world.tmux(
      'new-session',
      '-d',
      '-s',
      'tour',
      '-x',
      '110',
      '-y',
      '34',
      '-c',
      world.project,
      ...agent,
    )
    const { url } = await loginLink(folder, bearer(folder))
    say(`${colour('bold', 'Issue #42')}  ${ISSUE.title}`)
    say(`  watch the agent   tmux -S ${world.tmuxSocket} attach -r`)
    say(`  dashboard         ${url}\n`)
    await ready(world)
    await world.tmux('send-keys', '-t', 'tour', '-l', `/issue-to-impl ${ISSUE.number}`)
    await world.tmux('send-keys', '-t', 'tour', 'Enter')
  }

  async function ready(world: TourWorld): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      if (/^❯/m.test(await world.tmux('capture-pane', '-p', '-t', 'tour'))) return
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  async function follow(folder: StateFolder): Promise<void> {
    await followDaemon(folder, '/api/events?after=0', signal, data => {
      const told = narrate(JSON.parse(data) as Entry)
      if (told) say(`${colour(COLOURS[told.mark], told.mark)} ${printable(told.text)}`)
    })
  }

  /** Asks the person at the terminal; without one, or with --yes, the tour answers as a careful person would. */
  async function answer(folder: StateFolder): Promise<void> {
    const seen = new Set<string>()
    while (!signal.aborted) {
      const { asks } = AskList.parse(await callDaemon(folder, 'GET', '/api/asks').catch(() => ({ asks: [] })))
      for (const ask of asks) {
        if (seen.has(ask.id)) continue
        seen.add(ask.id)
        say(`${colour('yellow', '?')} ${colour('bold', printable(ask.title))}\n${indented(ask.detail)}`)
        const usual = ask.kind === 'confirm'
        const yes = options.yes || !io.isTTY ? usual : await question(usual)
        if (yes === undefined) return
        const option = ask.kind === 'confirm' ? (yes ? 'yes' : 'no') : yes ? 'allow-once' : 'deny'
        const headers = { ...bearer(folder), 'baton-channel': 'tour' }
        const reason = option === 'deny' ? { reason: 'no scripts from the internet' } : {}
        const body = { option, ...reason }
        await callDaemon(folder, 'POST', `/api/asks/${ask.id}/answer`, 10_000, { headers, body }).catch(() =>
          say(colour('dim', '  (answered elsewhere)')),
        )
      }
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }

  async function question(usual: boolean): Promise<boolean | undefined> {
    const lines = createInterface({ input: io.stdin, output: process.stdout })
    try {
      const text = await lines.question(`  Allow? [${usual ? 'Y/n' : 'y/N'}] `, { signal })
      return text.trim() === '' ? usual : /^y/i.test(text.trim())
    } catch {
      return undefined
    } finally {
      lines.close()
    }
  }

  /** The dashboard goes with the tour. */
  async function lastLook(): Promise<void> {
    const lines = createInterface({ input: io.stdin, output: process.stdout })
    await lines.question('Press Enter to end the tour. ', { signal: io.signal }).catch(() => {})
    lines.close()
  }

  async function summary(world: TourWorld, folder: StateFolder): Promise<void> {
    const path = '/api/journal?limit=5000'
    const { entries } = EntryList.parse(await callDaemon(folder, 'GET', path))
    const count = (matches: (body: Entry['body']) => boolean) =>
      entries.filter(({ body }) => matches(body)).length
    const [pull] = stateIn(world).pulls
    const rows: [number | string, string][] = [
      [
        count(body => body.kind === 'workflow' && body.what === 'continued'),
        'early stops that Baton sent on',
      ],
      [
        count(body => body.kind === 'decision' && body.decision === 'allow'),
        'steps allowed without a question',
      ],
      [count(body => body.kind === 'decision' && body.decision === 'deny'), 'commands refused'],
      [count(body => body.kind === 'ask' && body.what === 'answered'), 'questions to you'],
      [
        count(body => body.kind === 'handoff' && body.what === 'received'),
        'handoff to a fresh session, checked against git and by what that session knew',
      ],
      [pull ? `#${pull.number}` : 'none', 'pull request, merged; the issue is closed'],
    ]
    say(`\n${colour('bold', 'What happened without you')}`)
    for (const [figure, what] of rows) say(`  ${String(figure).padStart(4)}  ${what}`)
    say(`\nIn your own repository:  ${colour('bold', 'npx batonpass init')}\n`)
  }
}

const COLOURS = {
  '▶': 'cyan',
  '❯': 'cyan',
  '✓': 'green',
  '✗': 'red',
  '?': 'yellow',
  '↻': 'cyan',
  '⇄': 'cyan',
  '●': 'dim',
  '⚑': 'cyan',
} as const

/** The tour's own daemon: whoever runs the tour is its person. */
const bearer = (folder: StateFolder) => ({ authorization: `Bearer ${secretFile(folder.token)}` })

const indented = (text: string): string =>
  text
    .split('\n')
    .slice(0, 12)
    .map(line => `    ${printable(line)}`)
    .join('\n')
