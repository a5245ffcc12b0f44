import { resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import {
  type JobView,
  MAX_PRIORITY,
  QueueAdded,
  QueueChanged,
  QueueList,
  SourceList,
  type SourceView,
} from '@batonpass/contract/fleet'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { canHaveQueue, ensureQueuePackages } from '../ensure-queue-packages.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** Starting a database of Baton's own takes a moment on a slow disk. */
const CALL_MS = 120_000

/** The issues that the fleet works on: list them, add one, take one out, or let one start again. */
export const queue: Handler = async (given, io) => {
  const [what = 'list', which] = given.positionals
  switch (what) {
    case 'list':
      return list(given, io)
    case 'add':
      return add(given, io, issueIn(which))
    case 'watch':
    case 'unwatch':
      return watch(given, io, what === 'watch')
    case 'remove':
    case 'retry':
      return change(given, io, what, issueIn(which))
    default:
      throw new BatonError(
        'usage',
        `WHAT must be list, add, remove, retry, watch or unwatch, not '${what}'`,
        {
          remedy: 'See `baton queue --help`.',
        },
      )
  }
}

async function list(given: Given, io: Io): Promise<number> {
  const jobs = (await canHaveQueue(io)) ? await readQueue(io) : []
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ jobs })}\n`)
  else if (jobs.length === 0) io.stdout.write('The queue is empty. Add an issue: baton queue add 42\n')
  else for (const job of jobs) fitted(io)(jobLines(job, io))
  return EXIT.ok
}

async function readQueue(io: Io): Promise<JobView[]> {
  await ensureQueuePackages(io)
  return QueueList.parse(await callStartedDaemon(io, 'GET', '/api/queue', CALL_MS)).jobs
}

async function add(given: Given, io: Io, issue: number): Promise<number> {
  const agent = text(given, 'agent')
  const body = {
    project: projectOf(given, io),
    issue,
    priority: priorityIn(text(given, 'priority')),
    ...(agent === undefined ? {} : { agent: launchesOf(agent).agent }),
  }
  await ensureQueuePackages(io)
  const answer = await callStartedDaemon(io, 'POST', '/api/queue', CALL_MS, { body })
  const { job, fresh } = QueueAdded.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ job, fresh })}\n`)
  else fitted(io)(`${fresh ? 'Added' : 'Already there'}: ${jobLines(job, io)}`)
  return EXIT.ok
}

async function change(given: Given, io: Io, what: 'remove' | 'retry', issue: number): Promise<number> {
  const body = { project: projectOf(given, io), issue }
  await ensureQueuePackages(io)
  const answer = await callStartedDaemon(io, 'POST', `/api/queue/${what}`, CALL_MS, { body })
  const { job, note } = QueueChanged.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ job, ...(note ? { note } : {}) })}\n`)
  else {
    fitted(io)(`${what === 'remove' ? 'Removed' : 'Starts again'}: ${jobLines(job, io)}`)
    if (note) fitted(io)(`${paint(io)('yellow', 'note')} ${printable(note)}\n`)
  }
  return EXIT.ok
}

async function watch(given: Given, io: Io, on: boolean): Promise<number> {
  const body = { project: projectOf(given, io), on }
  await ensureQueuePackages(io)
  const answer = await callStartedDaemon(io, 'POST', '/api/queue/watch', CALL_MS, { body })
  const { sources } = SourceList.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ sources })}\n`)
  else if (sources.length === 0) io.stdout.write('No repository is watched.\n')
  else for (const source of sources) fitted(io)(sourceLine(source, io))
  return EXIT.ok
}

/** Which issues of a repository become jobs by themselves. */
export function sourceLine({ repository, label, column, problem }: SourceView, io: Io): string {
  const ready = [label && `with the label ${label}`, column && `in the column ${column}`].filter(Boolean)
  const what =
    ready.length > 0 ? `issues ${ready.join(' or ')}` : 'nothing: fleet.label and fleet.column are empty'
  const trouble = problem ? `  ${paint(io)('red', printable(problem))}` : ''
  return `watched ${printable(`${repository}: ${what}`)}${trouble}\n`
}

/** One job for people; the second line says where to look. */
export function jobLines(job: JobView, io: Io): string {
  const colour = paint(io)
  const {
    repository,
    issue,
    state,
    priority,
    agent,
    failures,
    reason,
    pullRequest,
    terminal,
    clone,
    machine,
  } = job
  const shown = { waiting: 'dim', working: 'green', review: 'yellow', failed: 'red' } as const
  const about = [
    priority === 0 ? '' : `priority ${priority}`,
    agent && state === 'working' ? agent : '',
    machine ? `on ${machine}` : '',
    failures > 0 ? `${failures} failed` : '',
    pullRequest ?? '',
    reason ?? '',
  ].filter(Boolean)
  const look = { working: terminal && `baton attach ${terminal}`, failed: clone, review: '', waiting: '' }[
    state
  ]
  const head = `${printable(`${repository}#${issue}`)}  ${colour(shown[state], SAID[state])}`
  const more = about.map(word => `  ${printable(word)}`).join('')
  return `${head}${more}\n${look ? `  ${colour('dim', printable(look))}\n` : ''}`
}

const SAID = { waiting: 'waiting', working: 'working', review: 'in review', failed: 'failed, waits for you' }

function projectOf(given: Given, io: Io): string {
  const repo = text(given, 'repo')
  return findWorktreeRoot(repo === undefined ? io.cwd : resolve(io.cwd, repo.replace(/^~(?=\/)/, io.home)))
}

function issueIn(word: string | undefined): number {
  const number = Number(/^#?([1-9]\d{0,8})$/.exec(word ?? '')?.[1])
  if (number) return number
  throw new BatonError(
    'usage',
    word === undefined ? 'ISSUE is missing' : `ISSUE must be a number such as 42, not '${word}'`,
    {
      remedy: 'See `baton queue --help`.',
    },
  )
}

function priorityIn(word: string | undefined): number {
  const priority = Number(word ?? '0')
  if (Number.isInteger(priority) && Math.abs(priority) <= MAX_PRIORITY) return priority
  throw new BatonError('usage', `--priority must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`)
}
