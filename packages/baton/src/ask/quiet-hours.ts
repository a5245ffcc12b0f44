import type { NoticeKind } from '@batonpass/contract/notice'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Channel, News } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import { mayTell, type NoticeSettings } from './notice.ts'

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
