import type { Config } from '@batonpass/contract/config'
import type { NoticeKind } from '@batonpass/contract/notice'

/** When a notification was last sent, and what now is on the clock on the wall. */
export interface Moment {
  now: number
  /** Minutes since midnight, local time. */
  minutes: number
  lastSent: number | undefined
}

export type NoticeSettings = Pick<Config['notify'], 'about' | 'quiet_hours' | 'repeat_minutes'>

/** Whether somebody may be told of this now: wanted, not at night, and not for the second time. Pure. */
export function mayTell(
  kind: NoticeKind,
  { about, quiet_hours, repeat_minutes }: NoticeSettings,
  { now, minutes, lastSent }: Moment,
): boolean {
  if (!about.includes(kind) || isQuiet(quiet_hours, minutes)) return false
  return lastSent === undefined || now - lastSent >= repeat_minutes * 60_000
}

/** `22:00-07:00` goes over midnight; equal ends are the whole day. */
export function isQuiet(span: string, minutes: number): boolean {
  const [, fromHour, fromMinute, toHour, toMinute] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(span) ?? []
  if (fromHour === undefined) return false
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  if (from === to) return true
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to
}
