import type { Session } from '@batonpass/contract/session'
import type { WatchState } from '@batonpass/contract/watch'

/**
 * The text of a screen without its moving parts: a spinner, its verb and a clock change even while nothing happens.
 * Two screens with the same gist show no progress.
 */
export function gist(lines: readonly string[]): string {
  return lines
    .filter(line => !SPINNER.test(line))
    .map(line => line.replaceAll(/[^\p{L}]+/gu, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
}

const SPINNER = /^\s*[^\p{L}\p{N}\s]\s+\S.*(?:…|\.\.\.)/u

/** The state of a session according to its last event, for sessions without a visible screen. */
export function stateByEvents({ lastEvent, endedAt }: Pick<Session, 'lastEvent' | 'endedAt'>): WatchState {
  if (endedAt) return 'ended'
  return BY_EVENT[lastEvent] ?? 'unknown'
}

const BY_EVENT: Record<string, WatchState> = {
  PromptSubmitted: 'working',
  ToolRequested: 'working',
  ToolFinished: 'working',
  ToolDenied: 'working',
  SubagentStarted: 'working',
  SubagentEnded: 'working',
  Compacting: 'working',
  PermissionAsked: 'dialog',
  SessionStarted: 'waiting',
  TurnEnded: 'waiting',
  TurnFailed: 'waiting',
  Idle: 'waiting',
  Compacted: 'waiting',
}
