import type { Config } from '@batonpass/contract/config'
import type { NoticeKind } from '@batonpass/contract/notice'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Channel, News } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'

export interface QuietHoursParts {
  settingsFor(project: string): Promise<NoticeSettings>
  /** Whether the person said that they are away. Then quiet hours do not apply: everything goes to the phone at once. */
  isAway(): Promise<boolean>
  memory: ChannelMemory
  clock: Clock
}

/** Older records are not needed to recognise a repeated notice. */
const FORGET_MS = 24 * 3_600_000

/** Wraps a channel: sends only wanted notices, not during quiet hours (unless the person is away) and not twice. Asks are not filtered. */
export function withQuietHours(channel: Channel, parts: QuietHoursParts): Channel {
  const tell = channel.tell?.bind(channel)
  if (!tell) return channel
  return {
    name: channel.name,
    start: answering => channel.start(answering),
    stop: () => channel.stop(),
    show: (ask, signal) => channel.show(ask, signal),
    settle: ask => channel.settle(ask),
    async tell(news) {
      if (!(await firstTime(channel.name, news, parts))) return false
      return await tell(news)
    },
  }
}

/** Whether a notice may be sent now. Stores the time, so that it is not repeated after a restart. */
export async function firstTime(
  channel: string,
  { kind = 'trouble', project, text, session }: News,
  { settingsFor, isAway, memory, clock }: QuietHoursParts,
): Promise<boolean> {
  const now = clock.now()
  const key = keyOf(channel, kind, [project, session ?? '', text].join('\n'))
  const known = Number(await memory.get(key))
  const at = new Date(now)
  const moment = {
    now,
    minutes: at.getHours() * 60 + at.getMinutes(),
    lastSent: Number.isFinite(known) && known > 0 ? known : undefined,
    away: await isAway(),
  }
  if (!mayTell(kind, await settingsFor(project), moment)) return false
  await memory.set(key, String(now))
  for (const old of await memory.list(`${channel}:`))
    if (now - Number(old.value) > FORGET_MS) await memory.delete(old.key)
  return true
}

/** A short key that is equal for equal notices. */
function keyOf(channel: string, kind: NoticeKind, words: string): string {
  let hash = 0n
  for (const character of words)
    hash = (hash * 1_099_511_628_211n + BigInt(character.codePointAt(0) ?? 0)) % 2n ** 64n
  return `${channel}:${kind}:${hash.toString(36)}`
}

/** The current time, and when the same notice was last sent. */
interface Moment {
  now: number
  /** Minutes since midnight, local time. */
  minutes: number
  lastSent: number | undefined
  away?: boolean
}

type NoticeSettings = Pick<Config['notify'], 'about' | 'quiet_hours' | 'repeat_minutes'>

/** Whether a notice may be sent: wanted, not in quiet hours unless the person is away, and not repeated too soon. Pure. */
export function mayTell(
  kind: NoticeKind,
  { about, quiet_hours, repeat_minutes }: NoticeSettings,
  { now, minutes, lastSent, away = false }: Moment,
): boolean {
  if (!about.includes(kind)) return false
  if (!away && isQuiet(quiet_hours, minutes)) return false
  return lastSent === undefined || now - lastSent >= repeat_minutes * 60_000
}

/** `22:00-07:00` spans midnight; equal ends mean the whole day. */
export function isQuiet(span: string, minutes: number): boolean {
  const [, fromHour, fromMinute, toHour, toMinute] = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(span) ?? []
  if (fromHour === undefined) return false
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  if (from === to) return true
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to
}
