import { resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type FleetOrder, FleetStatus, FleetToken } from '@batonpass/contract/fleet'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { ensureQueuePackages } from '../ensure-queue-packages.ts'
import { idFor } from '../for-people.ts'
import { type Io, paint, printable } from '../io.ts'
import { readHidden } from '../questions.ts'
import { fitted } from '../wrap-words.ts'
import { jobLines, sourceLine } from './queue.ts'

const CALL_MS = 120_000
const MODES = { pause: 'paused', drain: 'draining', down: 'down' } as const
const WHAT = 'up, status, pause, drain, down, token, join, remove, roles or found'
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
  if (what === 'token') {
    const { token, until } = FleetToken.parse(
      await callStartedDaemon(io, 'POST', '/api/fleet/token', CALL_MS),
    )
    if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ token, until })}\n`)
    else {
      io.stdout.write(`${token}\n`)
      io.stderr.write(
        `One machine can join with it until ${until}: run \`baton fleet join\` there and paste it\n`,
      )
    }
    return EXIT.ok
  }
  if (what === 'join') {
    if (given.positionals.length > 1)
      throw new BatonError('usage', 'Other programs on this machine can read what is on a command line', {
        remedy: 'Run `baton fleet join` without the token and paste it, or pipe it in.',
      })
    const body = { token: await readHidden(io, 'The token:') }
    return show(given, io, await callStartedDaemon(io, 'POST', '/api/fleet/join', CALL_MS, { body }))
  }
  if (what === 'remove') {
    const [, machine] = given.positionals
    if (!machine)
      throw new BatonError('usage', 'baton fleet remove needs a machine', {
        remedy: 'See `baton fleet --help`.',
      })
    const body = { machine }
    return show(given, io, await callStartedDaemon(io, 'POST', '/api/fleet/remove', CALL_MS, { body }))
  }
  if (what === 'roles') {
    const { WORKER_ROLE } = await import('../../store/worker-role.ts')
    io.stdout.write(WORKER_ROLE)
    return EXIT.ok
  }
  if (what === 'found')
    return show(given, io, await callStartedDaemon(io, 'POST', '/api/fleet/found', CALL_MS))
  throw new BatonError('usage', `WHAT must be ${WHAT}, not '${what}'`, {
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
    members,
    asks,
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
  for (const { name, isHere, isAlive, isMember, mode: theirs, busy: used, slots: all, until } of machines)
    write(
      `  machine   ${printable(name)}${isHere ? ' (this one)' : ''}  ${
        isAlive
          ? `${theirs}, ${used} of ${all} slots in use`
          : paint(io)('red', isMember ? `silent since before ${until}` : 'does not belong to the fleet')
      }\n`,
    )
  const reporting = new Set(machines.map(({ id }) => id))
  for (const { id, name, isHere } of members)
    if (!reporting.has(id))
      write(`  machine   ${printable(name)}${isHere ? ' (this one)' : ''}  takes no issues\n`)
  for (const { name, key, isFounder } of members)
    write(`  key       ${printable(`${key}  ${name}${isFounder ? ' (founder)' : ''}`)}\n`)
  for (const source of sources) write(sourceLine(source, io))
  for (const job of jobs) write(jobLines(job, io))
  for (const { id, title, machine } of asks)
    write(
      `${paint(io)('yellow', 'ask')} ${printable(`${idFor(id, io)}  ${title}${machine ? `  on ${machine}` : ''}`)}\n`,
    )
  const elsewhere = machines.filter(({ isHere, isAlive }) => isAlive && !isHere)
  const queued = [
    ...merges.map(merge => ({ ...merge, where: '' })),
    ...elsewhere.flatMap(({ name, merges: theirs }) =>
      theirs.map(merge => ({ ...merge, where: ` on ${name}` })),
    ),
  ]
  if (queued.length > 0) write('\nMerge queue:\n')
  for (const { repository, issue, base, state, note, where } of queued)
    write(
      `${printable(`  ${repository}#${issue} into ${base}${where}`)}  ${paint(io)(MERGE_COLOURS[state], printable(note))}\n`,
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
