import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EntryList } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { type Entry, type EntryBody, isBrokered } from '@batonpass/contract/journal'
import { FolderPeople, FolderState } from '../../adapters/folder-forge/state.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { stateDir } from '../../config/places.ts'
import { type StateFolder, stateFolder } from '../../config/state-folder.ts'
import { programPaths } from '../../hook/program.ts'
import { EXIT } from '../command.ts'
import { callDaemon, followDaemon } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'
import { withFittedLines, wrapWords } from '../wrap-words.ts'
import { answerAsks } from './answer-asks.ts'
import { narrate } from './narrate.ts'
import { ISSUE, type TourWorld, tourFolder, tourWorld } from './world.ts'

const MAX_PAUSE_MS = 10 * 60_000
/** Longer lines are hard to read, however wide the terminal is. */
const MOST_COLUMNS = 110

export interface TourOptions {
  /** The tour answers the questions itself. */
  yes: boolean
  paceMs: number
  keep: boolean
}

/** What a person types to start this Baton again, in any folder. */
function ownCommand(env: Io['env']): string {
  const { cli, root } = programPaths()
  if (env.npm_command === 'exec') return 'npx batonpass'
  const named = onPath('baton', env)
  if (named && realpathSync(named) === realpathSync(cli)) return 'baton'
  return root.includes('node_modules') ? 'npx batonpass' : `node ${cli}`
}

/** Shows Baton at work in its own temporary folder: real hooks, daemon and engine; scripted agent, model and forge. */
export async function runTour(options: TourOptions, terminal: Io): Promise<number> {
  const columns = Math.min(MOST_COLUMNS, terminal.columns ?? MOST_COLUMNS)
  const io = withFittedLines({ ...terminal, columns })
  for (const name of ['tmux', 'git']) if (!onPath(name, io.env)) throw missing(name)
  const colour = paint(io)
  const say = (text: string) => io.stdout.write(`${text}\n`)
  const isAlone = options.yes || !isInteractive(io)
  const over = new AbortController()
  const tooLong = AbortSignal.timeout(MAX_PAUSE_MS)
  const signal = AbortSignal.any([io.signal, over.signal, tooLong])
  const following: Promise<unknown>[] = []
  say(colour('bold', 'A tour of Baton: an agent takes an issue to a merged pull request, unattended.'))
  for (const line of wrapWords(INTRODUCTION, columns)) say(colour('dim', line))

  using folder = tourFolder(options.keep)
  try {
    const world = await set(folder.dir)
    const state = stateFolder(stateDir(world.env, world.home))
    await begin(world)
    following.push(follow(state, world), answerAsks(state, { io, isAlone, signal, say, world }))
    await playPeople(world, state, text => say(colour('dim', `  ${text}`)), {
      paceMs: options.paceMs,
      signal,
    })
    const { entries } = EntryList.parse(await callDaemon(state, 'GET', '/api/journal?limit=5000'))
    // The last entries are still arriving.
    await pause(options.paceMs, undefined, { signal })
    over.abort()
    await Promise.allSettled(following)
    say(`\n${colour('bold', 'What happened')}`)
    for (const line of summaryOf(entries, stateIn(world).pulls[0])) say(`  ${line}`)
    say(`\n${colour('bold', 'In your own repository')}`)
    const init = `${ownCommand(io.env)} init`
    say(`  ${init} --dry-run   show what it would change`)
    say(`  ${init}             set it up; \`uninstall\` removes it\n`)
    if (!isAlone) await lastLook()
    return EXIT.ok
  } catch (cause) {
    if (io.signal.aborted) {
      say(colour('dim', '\nTour cancelled.'))
      return EXIT.interrupted
    }
    if (tooLong.aborted)
      throw new BatonError('timed_out', 'The tour did not finish in 10 minutes', {
        remedy: 'Run it with --keep, then read home/.baton/daemon.log in the folder it prints.',
      })
    throw cause
  } finally {
    over.abort()
    await Promise.allSettled(following)
    if (options.keep) say(`Kept: ${folder.dir}`)
  }

  async function set(dir: string): Promise<TourWorld> {
    // Written a part at a time, so what fits on the line is counted here.
    let used = 0
    const progress = (text: string) => {
      const isTooLong = used > 0 && used + text.length > columns
      used = isTooLong ? text.length : used + text.length
      terminal.stdout.write(`${isTooLong ? '\n' : ''}${colour('dim', isTooLong ? text.trimStart() : text)}`)
    }
    say('')
    progress('Setting up: a repository and its forge,')
    const world = await tourWorld(dir, io.env.PATH ?? '')
    progress(' hooks and daemon,')
    await world.baton('init', '--yes', '--agent', 'claude', '--no-trial')
    progress(' a claim,')
    await world.baton('claim', String(ISSUE.number))
    progress(' a terminal.')
    const { node, cli } = programPaths()
    const agent = [node, cli, 'tour-agent', '--pace', String(options.paceMs)]
    const size = ['-x', '110', '-y', '34']
    await world.tmux('new-session', '-d', '-s', 'tour', ...size, '-c', world.project, ...agent)
    await ready(world)
    say('\n')
    return world
  }

  async function begin(world: TourWorld): Promise<void> {
    const url = await world.atTerminal('dashboard')
    say(`${colour('bold', `Issue #${ISSUE.number}`)}  ${ISSUE.title}`)
    // Separate lines, so that a narrow terminal does not break them and they can be clicked or copied.
    say('  Watch in a browser:')
    say(`    ${colour('cyan', url)}`)
    say('  or watch the agent itself, in another terminal:')
    say(`    tmux -S ${world.tmuxSocket} attach -r\n`)
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

  async function follow(state: StateFolder, world: TourWorld): Promise<void> {
    const learnt = new Set<string>()
    await followDaemon(state, '/api/events?after=0', signal, data => {
      const told = narrate(JSON.parse(data) as Entry, world.project)
      if (!told) return
      say(`${colour(COLOURS[told.mark], told.mark)} ${printable(told.text)}`)
      if (told.lesson && !learnt.has(told.lesson))
        for (const line of wrapWords(told.lesson, columns - 4)) say(`    ${colour('dim', line)}`)
      if (told.lesson) learnt.add(told.lesson)
    })
  }

  /** The dashboard ends with the tour. */
  async function lastLook(): Promise<void> {
    using questions = askAtTerminal(io)
    await questions.text('Press Enter to close the dashboard and end the tour.').catch(() => {})
  }
}

const INTRODUCTION =
  'Hooks, daemon and rules are real; the agent, its model and the forge are scripted. The tour runs in a temporary ' +
  'folder, needs no key and no network, and takes less than a minute. Ctrl-C ends it and leaves nothing behind.'

const COLOURS = {
  '▶': 'cyan',
  '❯': 'cyan',
  '✓': 'green',
  '✗': 'red',
  '↻': 'cyan',
  '⇄': 'cyan',
  '●': 'dim',
  '⚑': 'cyan',
} as const

function missing(name: string): BatonError {
  return new BatonError('missing_tool', `The tour needs ${name}, but it is not on your PATH`, {
    remedy: `Install it (Debian: sudo apt-get install ${name}; macOS: brew install ${name}) and run this again.`,
  })
}

/** Summarizes a tour's journal, one line per figure. */
function summaryOf(entries: readonly Entry[], pull: { number: number } | undefined): string[] {
  // What Baton performed outside for a command is a part of that step.
  const steps = entries.filter(entry => !isBrokered(entry))
  const count = (matches: (body: EntryBody) => boolean) => steps.filter(({ body }) => matches(body)).length
  const allowed = count(body => body.kind === 'decision' && body.decision === 'allow')
  const undoable = count(body => body.kind === 'decision' && body.decision === 'allow' && body.by === 'undo')
  const byRule = count(body => body.kind === 'decision' && body.decision === 'deny' && body.by !== 'person')
  const rows: [string, string][] = [
    [
      String(count(body => body.kind === 'workflow' && body.what === 'continued')),
      'early stops that Baton continued',
    ],
    [String(allowed), `steps allowed without asking you; ${undoable} of them can be undone`],
    [String(byRule), 'command denied by the rules'],
    [
      String(count(body => body.kind === 'ask' && body.what === 'answered')),
      'questions that only a person may answer',
    ],
    [
      String(count(body => body.kind === 'handoff' && body.what === 'received')),
      'handoff to a fresh session, checked against git',
    ],
    [pull ? `#${pull.number}` : 'none', 'pull request opened, checked and merged; issue closed'],
  ]
  return rows.map(([figure, what]) => `${figure.padStart(4)}  ${what}`)
}

/**
 * Plays everyone else on the tour's forge: CI passes, and a colleague merges the pull request.
 * Resolves when the issue is closed.
 */
async function playPeople(
  world: TourWorld,
  state: StateFolder,
  tell: (line: string) => void,
  options: { paceMs: number; signal: AbortSignal },
): Promise<void> {
  const { paceMs, signal } = options
  const looks = { signal } as const
  const opened = await until(() => stateIn(world).pulls[0])
  tell(`CI runs on pull request #${opened.number}.`)
  await write({ checks: { [opened.number]: [{ name: 'test', state: 'pending' }] } })
  await pause(paceMs * 3, undefined, looks)
  await write({ checks: { [opened.number]: [{ name: 'test', state: 'passed' }] } })
  tell('CI passes. A colleague reviews and merges it.')
  await pause(paceMs * 3, undefined, looks)
  await world.git(
    join(world.forge, 'origin.git'),
    'update-ref',
    'refs/heads/main',
    `refs/heads/${opened.branch}`,
  )
  await write({
    checks: { [opened.number]: [{ name: 'test', state: 'passed' }] },
    merged: { [opened.number]: systemClock.now() },
  })
  await until(
    () =>
      stateIn(world).issues.some(({ number, state }) => number === ISSUE.number && state === 'closed') ||
      undefined,
  )

  async function until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      await pause(200, undefined, looks)
    }
  }
  async function write(people: Partial<FolderPeople>): Promise<void> {
    const path = join(world.forge, 'people.json')
    writeFileSync(`${path}.new`, JSON.stringify(FolderPeople.parse(people)))
    renameSync(`${path}.new`, path)
    // As a forge's webhook does; without it Baton would look by itself, after a while.
    const body = { repository: 'you/project', pulls: [opened.number] }
    await callDaemon(state, 'POST', '/api/claims/nudge', 10_000, { body }).catch(() => {})
  }
}

function stateIn(world: TourWorld): FolderState {
  return FolderState.parse(JSON.parse(readFileSync(join(world.forge, 'forge.json'), 'utf8')))
}
