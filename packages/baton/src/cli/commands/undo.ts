import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { gitSnapshots } from '../../adapters/git/snapshot.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { stateDir } from '../../config/places.ts'
import type { Restored } from '../../undo/restore-step.ts'
import { Undo } from '../../undo/undo.ts'
import type { Step } from '../../undo/worktree-steps.ts'
import { EXIT, flag, type Given, type Handler } from '../command.ts'
import { counted } from '../counted.ts'
import { fitList } from '../fit-table.ts'
import { ago } from '../for-people.ts'
import { type Io, printable } from '../io.ts'

/** Goes back to how a worktree was before an agent's command. Works without the daemon. */
export const undo: Handler = async (given, io) => {
  const snapshots = gitSnapshots({ dir: join(stateDir(io.env, io.home), 'undo') })
  const work = new Undo({ snapshots, clock: systemClock })
  const step = stepOf(given)
  if (flag(given, 'list')) return list(work, given, io)
  if (flag(given, 'dry-run')) return preview(work, step, given, io)
  const restored = await work.restore(io.cwd, step)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(restored)}\n`)
  else report(restored, io)
  return EXIT.ok
}

async function list(work: Undo, given: Given, io: Io): Promise<number> {
  const steps = await work.list(io.cwd)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(steps)}\n`)
  else if (steps.length === 0) io.stdout.write('Nothing to undo.\n')
  else io.stdout.write(stepLines(steps, io))
  return EXIT.ok
}

/** The steps that can be taken back, one line for each. */
export function stepLines(steps: readonly Step[], io: Io): string {
  const width = String(steps[0]?.step ?? 0).length
  return fitList(
    steps,
    [
      { dropped: 0, cell: ({ step }) => ({ text: String(step).padStart(width), style: 'bold' }) },
      { dropped: 1, cell: ({ at }) => ({ text: sinceThen(at), style: 'dim' }) },
      { dropped: 2, least: 12, cell: step => ({ text: printable(place(step)), style: 'cyan' }) },
      { dropped: 0, least: 24, wraps: true, cell: step => ({ text: before(step) }) },
    ],
    io,
  )
}

async function preview(work: Undo, wanted: number | undefined, given: Given, io: Io): Promise<number> {
  const { step, patch, notes } = await work.diff(io.cwd, wanted)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ step, patch, notes })}\n`)
  else {
    io.stdout.write(`Would go back to step ${step.step}, ${before(step)} (${sinceThen(step.at)}).\n`)
    for (const note of notes) io.stdout.write(`${printable(note)}\n`)
    io.stdout.write(patch === '' ? 'No file would change.\n' : printable(patch))
  }
  return EXIT.ok
}

function report({ step, undoneBy, written, removed, moved, notes }: Restored, io: Io): void {
  if (undoneBy === undefined) {
    io.stdout.write(`Nothing to undo: the worktree already matches step ${step.step}.\n`)
    return
  }
  const done = [
    `${counted(written.length, 'file')} restored`,
    `${counted(removed.length, 'file')} removed`,
    ...(moved ? [`HEAD back on ${printable(place(step))}`] : []),
  ]
  io.stdout.write(`Back at step ${step.step}, ${before(step)} (${sinceThen(step.at)}): ${done.join(', ')}.\n`)
  for (const note of notes) io.stdout.write(`${printable(note)}\n`)
  io.stdout.write(`To revert this: baton undo ${undoneBy}\n`)
}

function stepOf(given: Given): number | undefined {
  const [word] = given.positionals
  if (word === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(word))
    throw new BatonError('usage', `Not a step: ${word}`, { remedy: 'See `baton undo --list`.' })
  return Number(word)
}

const before = (step: Step): string => `before: ${printable(step.label)}`
const place = (step: Step): string => step.branch ?? step.head?.slice(0, 10) ?? 'no branch'

const sinceThen = (at: string): string => `${ago(systemClock.now() - Date.parse(at))} ago`
