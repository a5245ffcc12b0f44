import { Cycle, CycleList } from '@batonpass/contract/cycle'
import { BatonError } from '@batonpass/contract/errors'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'

/** Handoffs of live sessions: those under way, or one begun or called off. */
export const cycle: Handler = async (given, io) => {
  const [what, session] = given.positionals
  if (what !== undefined) {
    if (session === undefined)
      throw new BatonError('usage', 'SESSION is missing: which session', { remedy: 'See `baton status`.' })
    const method = what === 'now' ? 'POST' : 'DELETE'
    const path = `/api/sessions/${encodeURIComponent(session)}/cycle`
    show(given, io, [Cycle.parse(await callDaemon(folderOf(io), method, path))])
    return EXIT.ok
  }
  const path = `/api/cycles?all=${flag(given, 'all')}`
  const { cycles } = CycleList.parse(await callDaemon(folderOf(io), 'GET', path))
  show(given, io, cycles)
  if (cycles.length === 0 && !flag(given, 'json'))
    io.stdout.write(
      flag(given, 'all') ? 'No session was handed off yet.\n' : 'No session is being handed off.\n',
    )
  return EXIT.ok
}

function show(given: Parameters<Handler>[0], io: Io, cycles: readonly Cycle[]): void {
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ cycles })}\n`)
    return
  }
  const colour = paint(io)
  for (const each of cycles) {
    const state = colour(COLOURS[each.step] ?? 'yellow', WORDS[each.step])
    const full = each.percent === undefined ? '' : `  ${Math.round(each.percent)}%`
    const to = each.successor ? ` -> ${each.successor.nativeSession}` : ''
    io.stdout.write(`${each.nativeSession}${to}  ${state}${full}  ${printable(each.project)}\n`)
    const details = [each.document, each.why].filter(detail => detail !== undefined)
    if (details.length > 0) io.stdout.write(`  ${printable(details.join(', '))}\n`)
  }
}

const COLOURS: Partial<Record<Cycle['step'], 'green' | 'red' | 'dim'>> = {
  done: 'green',
  failed: 'red',
  person: 'red',
  cancelled: 'dim',
}

const WORDS: Record<Cycle['step'], string> = {
  due: 'due, waits for a good moment',
  writing: 'the document is being written',
  clearing: 'the context is being cleared',
  resuming: 'the new session is told to continue',
  verifying: 'the new session shows what it knows',
  continuing: 'the new session continues',
  person: 'a person is needed: baton asks',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
}
