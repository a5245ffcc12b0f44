import type { Config } from '@batonpass/contract/config'
import type { HealthCheck, Spawn, WatchState } from '@batonpass/contract/watch'
import type { ScreenDialog } from '../../ports/driver.ts'

export interface Finding {
  check: HealthCheck['check_type']
  status: HealthCheck['status']
  /** For display. */
  message: string
  details: HealthCheck['details']
}

/** What Baton observed about one subject. */
export interface Seen {
  state: WatchState
  lines: readonly string[]
  /** When the session last printed or reported something, in milliseconds since the epoch. */
  activeAt: number
  /** The process is gone and sent no SessionEnd. */
  died: boolean
  /** What the agent asks on its screen. */
  dialog?: ScreenDialog | undefined
}

/** One finding for each check, including `ok` ones, so that a recovery shows. Pure. */
export function assessHealth(seen: Seen, settings: Config['health'], now: number): Finding[] {
  return [died(seen), stalled(seen, settings, now), errors(seen, settings)]
}

export const hasStalled = (
  { state, activeAt }: Pick<Seen, 'state' | 'activeAt'>,
  { stall_minutes }: Config['health'],
  now: number,
): boolean => state === 'working' && now - activeAt >= stall_minutes * MINUTE

function died({ died, lines, state }: Seen): Finding {
  if (!died) return fine('process')
  const last = lines.filter(line => line.trim() !== '').slice(-5)
  const message = state === 'gone' ? 'its terminal is gone' : 'its process is gone'
  return { check: 'process', status: 'critical', message, details: { state, last } }
}

function stalled(seen: Seen, settings: Config['health'], now: number): Finding {
  if (!hasStalled(seen, settings, now)) return fine('stall')
  const minutes = Math.floor((now - seen.activeAt) / MINUTE)
  const since = new Date(seen.activeAt).toISOString()
  return {
    check: 'stall',
    status: 'warning',
    message: `no output for ${minutes} minutes while working`,
    details: { minutes, since },
  }
}

function errors({ lines, state }: Seen, { error_lines, error_words }: Config['health']): Finding {
  // For a session that is gone, the finding about its process already contains the last screen.
  const recent = state === 'gone' ? [] : lines.slice(-error_lines)
  const found = recent.map(line => line.trim()).filter(line => error_words.some(word => line.includes(word)))
  if (found.length === 0) return fine('errors')
  const last = found.at(-1)?.slice(0, MAX_LENGTH) ?? ''
  return {
    check: 'errors',
    status: 'warning',
    message: last,
    details: { count: found.length, lines: found.slice(-MAX_LINES).map(line => line.slice(0, MAX_LENGTH)) },
  }
}

/** The finding about processes that an ended session left running. */
export function leftBehind(left: readonly Spawn[]): Finding {
  if (left.length === 0) return fine('children')
  const names = left.map(({ pid, title }) => `${pid} ${title}`)
  return {
    check: 'children',
    status: 'warning',
    message: `left ${left.length === 1 ? 'a process' : `${left.length} processes`} running: ${names.slice(0, 5).join(', ')}`,
    details: { processes: left.map(({ pid, title, started_at }) => ({ pid, title, since: started_at })) },
  }
}

const fine = (check: Finding['check']): Finding => ({ check, status: 'ok', message: '', details: {} })

const MINUTE = 60_000
const MAX_LINES = 5
const MAX_LENGTH = 300
