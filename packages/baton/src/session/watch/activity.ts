import type { Session } from '@batonpass/contract/session'
import type { WatchState } from '@batonpass/contract/watch'

/**
 * What a screen says, without what moves by itself: a spinner, its verb and a clock turn for ever, also while nothing
 * happens. Two screens with the same gist show no progress between them.
 */
export function gist(lines: readonly string[]): string {
  return lines
    .filter(line => !SPINNER.test(line))
    .map(line => line.replaceAll(/[^\p{L}]+/gu, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
}

const SPINNER = /^\s*[^\p{L}\p{N}\s]\s+\S.*(?:…|\.\.\.)/u

/** What a session is doing by its own account, where no screen tells. */
export function stateByEvents({ lastEvent, endedAt }: Pick<Session, 'lastEvent' | 'endedAt'>): WatchState {
  if (endedAt) return 'ended'
  return BY_EVENT[lastEvent] ?? 'unknown'
}

const BY_EVENT: Record<string, WatchState> = {
  PromptSubmitted: 'working',
  ToolRequested: 'working',
  ToolFinished: 'working',
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
