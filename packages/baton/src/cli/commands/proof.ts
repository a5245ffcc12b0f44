import { setTimeout as pause } from 'node:timers/promises'
import { duration } from '@batonpass/contract/duration'
import { BatonError } from '@batonpass/contract/errors'
import { Accepted, type CheckResult, Proof, ProofList, type ProofRequest } from '@batonpass/contract/proof'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { type Cell, type Column, fitList } from '../fit-table.ts'
import { idFor, timeFor } from '../for-people.ts'
import { type Io, paint, printable } from '../io.ts'
import { workflowsHere } from '../local-workflows.ts'
import { fitted } from '../wrap-words.ts'
import { showChecks } from './checks.ts'

const CALL_MS = 60_000
const POLL_MS = 200
const MAX_LISTED = 20

/** Proofs: run one, list them, look at one, cancel one, or look at the checks. */
export const proof: Handler = async (given, io) => {
  const [what, which] = given.positionals
  switch (what) {
    case undefined:
      return list(given, io)
    case 'run':
      return run(given, io, which)
    case 'checks':
      return showChecks(given, io, which)
    case 'accept':
      return accept(given, io, which)
    case 'cancel':
      return cancel(given, io, which)
    default:
      return show(given, io, await find(io, what))
  }
}

async function run(given: Given, io: Io, commit: string | undefined): Promise<number> {
  const order: ProofRequest = {
    project: io.cwd,
    ...(commit === undefined ? {} : { commit }),
    ...(text(given, 'base') === undefined ? {} : { base: text(given, 'base') }),
    ...(flag(given, 'again') ? { again: true } : {}),
  }
  const started = Proof.parse(await callStartedDaemon(io, 'POST', '/api/proofs', CALL_MS, { body: order }))
  const isQuiet = flag(given, 'json')
  const colour = paint(io)
  if (!isQuiet)
    io.stdout.write(`${colour('dim', `${idFor(started.id, io)}  ${started.commit.slice(0, 10)}`)}\n`)
  // Several checks may have the same name.
  const shown = new Map<string, number>()
  for (let now = started; ; now = await read(io, started.id)) {
    // A daemon that takes over after another one was killed begins the list again.
    const counted = new Map<string, number>()
    for (const result of now.results) {
      const count = (counted.get(result.name) ?? 0) + 1
      counted.set(result.name, count)
      if (count <= (shown.get(result.name) ?? 0)) continue
      shown.set(result.name, count)
      if (!isQuiet) fitted(io)(resultLine(result, io))
    }
    if (now.endedAt !== undefined) {
      if (isQuiet) io.stdout.write(`${JSON.stringify(now)}\n`)
      else io.stdout.write(endOf(now, io))
      return now.verdict === 'proven' ? EXIT.ok : EXIT.failed
    }
    await pause(POLL_MS)
  }
}

async function list(given: Given, io: Io): Promise<number> {
  const { proofs } = ProofList.parse(
    await callStartedDaemon(io, 'GET', `/api/proofs?project=${encodeURIComponent(io.cwd)}`, CALL_MS),
  )
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ proofs })}\n`)
  else if (proofs.length === 0) io.stdout.write('No proofs here. Check the last commit: baton proof run\n')
  else io.stdout.write(fitList(proofs.slice(0, MAX_LISTED), proofColumns(io), io))
  return EXIT.ok
}

async function cancel(given: Given, io: Io, id: string | undefined): Promise<number> {
  if (id === undefined)
    throw new BatonError('usage', 'WHICH proof is to be cancelled?', { remedy: 'See `baton proof`.' })
  const { id: whole } = await find(io, id)
  const ended = Proof.parse(await callStartedDaemon(io, 'POST', `/api/proofs/${whole}/cancel`, CALL_MS))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ended)}\n`)
  else io.stdout.write(`${idFor(ended.id, io)}  ${verdictOf(ended, io)}\n`)
  return EXIT.ok
}

async function accept(given: Given, io: Io, run: string | undefined): Promise<number> {
  if (run === undefined)
    throw new BatonError('usage', 'WHICH run is to be accepted?', { remedy: 'See `baton history --all`.' })
  const path = `/api/runs/${encodeURIComponent(run)}/accept`
  const { accepted } = Accepted.parse(await callStartedDaemon(io, 'POST', path, CALL_MS))
  io.stdout.write(flag(given, 'json') ? `${JSON.stringify({ accepted })}\n` : `${printable(accepted)}\n`)
  return EXIT.ok
}

async function show(given: Given, io: Io, found: Proof): Promise<number> {
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(found)}\n`)
    return EXIT.ok
  }
  const colour = paint(io)
  const at = `commit ${found.commit}, compared with ${found.base.slice(0, 10)}`
  io.stdout.write(`${idFor(found.id, io)}  ${printable(found.project)}\n${colour('dim', at)}\n`)
  for (const result of [...(found.setupResult ? [found.setupResult] : []), ...found.results]) {
    fitted(io)(resultLine(result, io))
    if (result.output) io.stdout.write(`${indent(printable(result.output))}\n`)
  }
  for (const each of found.contradictions ?? [])
    fitted(io)(`${colour('yellow', 'reported:')} ${printable(each)}\n`)
  fitted(io)(`${verdictOf(found, io)}\n`)
  return EXIT.ok
}

/** By its id or the start of it, with or without `prf_`, or by the session of a run. */
async function find(io: Io, id: string): Promise<Proof> {
  const start = id.startsWith('prf_') ? id : `prf_${id}`
  const { proofs } = ProofList.parse(await callStartedDaemon(io, 'GET', '/api/proofs', CALL_MS))
  const runs = (await workflowsHere(io).actions.list()).filter(({ nativeSession }) =>
    nativeSession.startsWith(id),
  )
  const ofRuns = runs.map(({ end, proving }) => end?.proof ?? proving?.proof)
  const found = proofs.filter(each => each.id.startsWith(start) || ofRuns.includes(each.id))
  const [only] = found
  if (found.length === 1 && only) return only
  throw new BatonError('not_found', `${found.length === 0 ? 'No proof' : 'Several proofs'}: ${id}`, {
    remedy: 'See `baton proof`.',
  })
}

const read = async (io: Io, id: string): Promise<Proof> =>
  Proof.parse(await callStartedDaemon(io, 'GET', `/api/proofs/${id}`, CALL_MS))

function endOf(ended: Proof, io: Io): string {
  const failed = [...(ended.setupResult ? [ended.setupResult] : []), ...ended.results].filter(
    ({ status, output }) => status !== 'passed' && output,
  )
  const outputs = failed.map(
    ({ name, output }) => `\n${printable(name)}\n${indent(printable(output ?? ''))}\n`,
  )
  return `${outputs.join('')}${outputs.length > 0 ? '\n' : ''}${verdictOf(ended, io)}\n`
}

function verdictOf(proof: Proof, io: Io): string {
  const { text, style } = verdictCell(proof)
  return style ? paint(io)(style, text) : text
}

function verdictCell({ verdict, why, running }: Proof): Cell {
  if (verdict === 'proven') return { text: 'proven', style: 'green' }
  if (verdict === 'unproven')
    return { text: `unproven (${printable(why ?? 'no reason given')})`, style: 'yellow' }
  return { text: running === undefined ? 'waits' : `runs ${printable(running)}` }
}

function resultLine({ name, status, why, note, seconds, cached }: CheckResult, io: Io): string {
  const colour = paint(io)
  const mark = status === 'passed' ? colour('green', 'passed') : colour('red', status)
  const took = cached ? 'result of an earlier proof' : duration(seconds * 1000)
  const more = note ? `${indent(printable(note))}\n` : ''
  return `${mark}  ${printable(name)}  ${colour('dim', [why && printable(why), took].filter(Boolean).join(', '))}\n${more}`
}

function proofColumns(io: Io): Column<Proof>[] {
  const now = systemClock.now()
  return [
    { dropped: 0, cell: ({ id }) => ({ text: idFor(id, io) }) },
    {
      dropped: 1,
      cell: ({ startedAt }) => ({
        text:
          io.columns === undefined ? startedAt.slice(0, 16).replace('T', ' ') : timeFor(startedAt, io, now),
      }),
    },
    { dropped: 2, cell: ({ commit }) => ({ text: commit.slice(0, 10) }) },
    { dropped: 0, least: 20, wraps: true, cell: verdictCell },
  ]
}

const indent = (words: string): string => words.replaceAll(/^/gm, '  ')
