import { resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type FleetOrder, FleetStatus } from '@batonpass/contract/fleet'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { ensureQueuePackages } from '../ensure-queue-packages.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'
import { jobLines, sourceLine } from './queue.ts'

const CALL_MS = 120_000
const MODES = { pause: 'paused', drain: 'draining', down: 'down' } as const
const SAID = {
  up: 'takes issues from the queue',
  paused: 'is paused: no new issue starts, the agents that work continue',
  draining: 'goes down when the agents that work now have opened their pull requests',
  down: 'is down',
} as const

/** Works on the issues in the queue, several at a time. */
export const fleet: Handler = async (given, io) => {
  const [what = 'status'] = given.positionals
  if (what === 'status') return show(given, io, await callStartedDaemon(io, 'GET', '/api/fleet', CALL_MS))
  if (what === 'up') {
    const order = upOrder(given, io)
    await ensureQueuePackages(io)
    return show(given, io, await callStartedDaemon(io, 'POST', '/api/fleet', CALL_MS, { body: order }))
  }
  if (what === 'pause' || what === 'drain' || what === 'down') {
    const body: FleetOrder = { mode: MODES[what] }
    return show(given, io, await callStartedDaemon(io, 'POST', '/api/fleet', CALL_MS, { body }))
  }
  throw new BatonError('usage', `WHAT must be up, status, pause, drain or down, not '${what}'`, {
    remedy: 'See `baton fleet --help`.',
  })
}

function upOrder(given: Given, io: Io): FleetOrder {
  const slots = text(given, 'slots')
  const count = Number(slots)
  if (slots !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 64))
    throw new BatonError('usage', '--slots must be a whole number from 1 to 64')
  const agents = text(given, 'agents')
    ?.split(',')
    .map(name => launchesOf(name.trim()).agent)
  const repos = text(given, 'repos')
    ?.split(',')
    .map(folder => resolve(io.cwd, folder.trim().replace(/^~(?=\/)/, io.home)))
  return {
    mode: 'up',
    ...(slots === undefined ? {} : { slots: count }),
    ...(agents === undefined ? {} : { agents: [...new Set(agents)] }),
    ...(repos === undefined ? {} : { projects: repos.map(folder => findWorktreeRoot(folder)) }),
  }
}

function show(given: Given, io: Io, answer: unknown): number {
  const status = FleetStatus.parse(answer)
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(status)}\n`)
    return EXIT.ok
  }
  const {
    mode,
    busy,
    slots,
    agents,
    perRepository,
    database,
    problem,
    waits,
    jobs,
    sources,
    merges,
    machines,
    overlaps,
  } = status
  const write = fitted(io)
  write(`The fleet ${SAID[mode]}.\n`)
  if (mode !== 'down')
    write(
      `  slots     ${busy} of ${slots} in use, at most ${perRepository} in one repository\n  agents    ${agents.join(', ')}\n  database  ${database === 'own' ? "Baton's own PostgreSQL" : 'fleet.postgres'}\n`,
    )
  if (problem) write(`${paint(io)('red', 'problem')} ${printable(problem)}\n`)
  if (waits) write(`${paint(io)('yellow', 'waits')} ${printable(waits)}\n`)
  for (const { name, isHere, isAlive, mode: theirs, busy: used, slots: all, until } of machines)
    write(
      `  machine   ${printable(name)}${isHere ? ' (this one)' : ''}  ${
        isAlive
          ? `${theirs}, ${used} of ${all} slots in use`
          : paint(io)('red', `silent since before ${until}`)
      }\n`,
    )
  for (const source of sources) write(sourceLine(source, io))
  for (const job of jobs) write(jobLines(job, io))
  if (merges.length > 0) write('\nMerge queue:\n')
  for (const { repository, issue, base, state, note } of merges)
    write(
      `${printable(`  ${repository}#${issue} into ${base}`)}  ${paint(io)(MERGE_COLOURS[state], printable(note))}\n`,
    )
  for (const { repository, issues, files } of overlaps)
    write(
      `${paint(io)('yellow', 'overlap')} ${printable(`${repository} ${issues.map(issue => `#${issue}`).join(', ')} change ${shortList(files)}`)}\n`,
    )
  return EXIT.ok
}

const MERGE_COLOURS = { waiting: 'dim', merging: 'green', author: 'yellow' } as const
const shortList = (files: readonly string[]): string =>
  `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`
