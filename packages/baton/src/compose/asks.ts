import { bellNotifier } from '../adapters/notify/bell.ts'
import { desktopNotifier } from '../adapters/notify/desktop.ts'
import { webhookNotifier } from '../adapters/notify/webhook.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemPrograms } from '../adapters/system/programs.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { telegramChannel } from '../adapters/telegram/channel.ts'
import { Asks } from '../ask/asks.ts'
import { noticeOfEntry } from '../ask/journal-notices.ts'
import { type Notifier, notifierChannel } from '../ask/notifier.ts'
import { PageChannel } from '../ask/page-channel.ts'
import type { PresenceKeeper } from '../ask/presence.ts'
import { withQuietHours } from '../ask/quiet-hours.ts'
import { addRule } from '../config/add-rule.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Environment } from '../config/places.ts'
import { tilde } from '../config/user-file.ts'
import type { Redactor } from '../journal/redact.ts'
import { ruleText } from '../permission/rules/rule-text.ts'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Channel } from '../ports/channel.ts'
import type { Ground } from './ground.ts'

/** Builds the asks with every channel that can reach a person. */
export function composeAsks(
  ground: Ground,
  presence: PresenceKeeper,
  /** Channels of parts that are built later. */
  later: readonly Channel[],
): {
  asks: Asks
  /** The open dashboard pages. */
  pages: PageChannel
  /** The open editor windows. */
  editors: PageChannel
} {
  const { configFor, local, log } = ground
  const memory = local.asks.memory('notify')
  const pages = new PageChannel(systemTimers)
  const editors = new PageChannel(systemTimers, 'vscode')
  const apiRoot = ground.machine().config.telegram.api_root
  const telegram = telegramChannel({
    configFor: async ask => (await configFor(ask.facts.project)).telegram,
    memory: local.asks.memory('telegram'),
    warn: message => log.warn(message),
    clock: systemClock,
    timers: systemTimers,
    ids: systemIds,
    ...(apiRoot ? { apiRoot } : {}),
  })
  const isAway = async () => (await presence.read()).awaySince !== undefined
  const settingsFor = async (project: string) => (await configFor(project)).notify
  const asks = new Asks({
    store: local.asks,
    channels: [
      pages,
      editors,
      withQuietHours(telegram, { settingsFor, isAway, memory, clock: systemClock }),
      ...composeNotify({
        ...ground,
        memory,
        isAway,
        pidOf: async session => (await ground.sessions.find(session))?.pid,
      }),
      ...later,
    ],
    record: ground.write,
    async addRule({ id, facts, rules }, scope) {
      const rule = rules?.[scope]
      const { project } = facts
      if (!rule || !project) throw new Error('The question names no rule.')
      const comment = `${new Date(systemClock.now()).toISOString().slice(0, 10)}: always allow (${id})`
      const file = await addRule(ground.home, { rule, scope, project, comment }, systemFiles)
      await ground.config.refresh()
      return { file: tilde(file, ground.home), rule: ruleText(rule, scope) }
    },
    nameOf: async session => (await ground.sessions.find(session))?.name,
    fault: ground.fault,
    clock: systemClock,
    timers: systemTimers,
    ids: systemIds,
  })
  ground.live.listen(entry => {
    const notice = noticeOfEntry(entry)
    if (notice) void asks.tell(notice)
  })
  return { asks, pages, editors }
}

interface NotifyParts {
  config: ConfigKeeper
  env: Environment
  redactor: Redactor
  memory: ChannelMemory
  isAway(): Promise<boolean>
  pidOf(session: string): Promise<number | undefined>
}

/** Builds the channels that only notify: desktop, webhook and bell. */
function composeNotify({ config, env, redactor, memory, isAway, pidOf }: NotifyParts): Channel[] {
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
  const phone = { settingsFor, isAway, memory, clock: systemClock }
  // A desktop or a bell that rings at night does not reach a person who is away.
  const desk = { ...phone, isAway: async () => false }
  return notifiers.map(notifier => notifierChannel(notifier, notifier.name === 'webhook' ? phone : desk))
}
