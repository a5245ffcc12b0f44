import { shortSessionId } from '@batonpass/contract/session-name'
import { shortId } from '@batonpass/contract/short-id'
import type { Io } from './io.ts'

/** How long ago something was: `5m`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** A time for people on a terminal: `5m ago`, or `in 5m`. Scripts that read a pipe get the time itself. */
export function timeFor(at: string, { columns }: Pick<Io, 'columns'>, now: number): string {
  if (columns === undefined) return at
  const ms = now - Date.parse(at)
  return ms < 0 ? `in ${ago(-ms)}` : `${ago(ms)} ago`
}

/** A time that stays right while the line stays on the screen: `14:05:09`. Scripts that read a pipe get the time itself. */
export const clockTimeFor = (at: string, { columns }: Pick<Io, 'columns'>): string =>
  columns === undefined ? at : new Date(at).toLocaleTimeString('en-GB')

/** The start of one of Baton's own ids, which every command accepts. Scripts that read a pipe get the whole id. */
export const idFor = (id: string, { columns }: Pick<Io, 'columns'>): string =>
  columns === undefined ? id : shortId(id)

/** The start of a session's id, which every command accepts. Scripts that read a pipe get the whole id. */
export const sessionIdFor = (nativeSession: string, { columns }: Pick<Io, 'columns'>): string =>
  columns === undefined ? nativeSession : shortSessionId(nativeSession)
