import { bellNotifier } from '../adapters/notify/bell.ts'
import { desktopNotifier } from '../adapters/notify/desktop.ts'
import { webhookNotifier } from '../adapters/notify/webhook.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemPrograms } from '../adapters/system/programs.ts'
import { type Notifier, notifierChannel } from '../ask/notifier.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Environment } from '../config/places.ts'
import type { Redactor } from '../journal/redact.ts'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Channel } from '../ports/channel.ts'

export interface NotifyParts {
  config: ConfigKeeper
  env: Environment
  redactor: Redactor
  memory: ChannelMemory
  pidOf(session: string): Promise<number | undefined>
}

/** Desktop, webhook and bell beside the channels that are answered on. */
export function composeNotify({ config, env, redactor, memory, pidOf }: NotifyParts): Channel[] {
  const notifiers: Notifier[] = [
    desktopNotifier({
      programs: systemPrograms,
      env,
      platform: process.platform,
      uid: process.getuid?.(),
      onPath: program => onPath(program, env) !== undefined,
    }),
    webhookNotifier({ now: systemClock.now, redact: redactor.text }),
    bellNotifier({ programs: systemPrograms, pidOf }),
  ]
  const settingsFor = async (project: string) => (await config.get(project)).config.notify
  return notifiers.map(notifier => notifierChannel(notifier, { settingsFor, memory, clock: systemClock }))
}
