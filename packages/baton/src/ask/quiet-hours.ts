import type { Config } from '@batonpass/contract/config'
import type { NoticeKind } from '@batonpass/contract/notice'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Channel, News } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'

export interface QuietHoursParts {
  settingsFor(project: string): Promise<NoticeSettings>
  memory: ChannelMemory
  clock: Clock
}

/** Nothing older is needed to know that something was told already. */
const FORGET_MS = 24 * 3_600_000

/** A channel that tells only what is wanted, not in quiet hours and not twice. Its questions go through as they are. */
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

/** Notes that it is told now, so that a restart does not tell it again. */
export async function firstTime(
  channel: string,
  { kind = 'trouble', project, text, session }: News,
  { settingsFor, memory, clock }: QuietHoursParts,
): Promise<boolean> {
  const now = clock.now()
  const key = keyOf(channel, kind, [project, session ?? '', text].join('\n'))
  const known = Number(await memory.get(key))
  const at = new Date(now)
  const moment = {
    now,
    minutes: at.getHours() * 60 + at.getMinutes(),
    lastSent: Number.isFinite(known) && known > 0 ? known : undefined,
  }
  if (!mayTell(kind, await settingsFor(project), moment)) return false
  await memory.set(key, String(now))
  for (const old of await memory.list(`${channel}:`))
    if (now - Number(old.value) > FORGET_MS) await memory.delete(old.key)
  return true
}

/** Short, and the same for the same words. */
function keyOf(channel: string, kind: NoticeKind, words: string): string {
  let hash = 0n
  for (const character of words)
    hash = (hash * 1_099_511_628_211n + BigInt(character.codePointAt(0) ?? 0)) % 2n ** 64n
  return `${channel}:${kind}:${hash.toString(36)}`
}

/** When a notification was last sent, and what now is on the clock on the wall. */
interface Moment {
  now: number
  /** Minutes since midnight, local time. */
  minutes: number
  lastSent: number | undefined
}

type NoticeSettings = Pick<Config['notify'], 'about' | 'quiet_hours' | 'repeat_minutes'>

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
