import { BatonError } from '@batonpass/contract/errors'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { printable } from '../io.ts'
import { workflowsHere } from '../local-workflows.ts'
import { fitted } from '../wrap-words.ts'

const DAY = 24 * 3_600_000
const DEFAULT_DAYS = 7

/** Removes state files of runs that are over, and those that were not touched for a while. */
export const clean: Handler = async (given, io) => {
  const days = Number(text(given, 'days') ?? DEFAULT_DAYS)
  if (!Number.isFinite(days) || days < 0)
    throw new BatonError('usage', '--days must be a number of days such as 7')
  const { actions, root } = workflowsHere(io)
  const dryRun = flag(given, 'dry-run')
  const removed = await actions.clean([root], systemClock.now(), { olderMs: days * DAY, dryRun })
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ removed, dryRun })}\n`)
    return EXIT.ok
  }
  for (const path of removed) fitted(io)(`${dryRun ? 'Would remove' : 'Removed'} ${printable(path)}\n`)
  if (removed.length === 0) io.stdout.write('Nothing to clean.\n')
  return EXIT.ok
}
