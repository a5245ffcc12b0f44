import type { Ask } from '@batonpass/contract/ask'
import type { Config } from '@batonpass/contract/config'
import type { AskId, SessionId } from '@batonpass/contract/ids'
import type { NoticeKind } from '@batonpass/contract/notice'
import { visible } from '@batonpass/contract/visible'
import type { Channel, News } from '../ports/channel.ts'
import { firstTime, type QuietHoursParts } from './quiet-hours.ts'

/** A notice that each notifier shows in its own way. */
export interface Notice {
  kind: NoticeKind
  title: string
  text: string
  project: string
  session?: SessionId | undefined
  ask?: AskId | undefined
}

/** A way to notify a person without receiving answers. `send` returns whether it sent the notice. */
export interface Notifier {
  readonly name: 'desktop' | 'webhook' | 'bell'
  /** Whether a person who notices it will look at the ask, so that waiting for an answer makes sense. */
  readonly reaches: boolean
  send(notice: Notice, settings: Config['notify']): Promise<boolean>
}

export interface NotifierParts extends QuietHoursParts {
  settingsFor(project: string): Promise<Config['notify']>
}

const TITLES: Record<NoticeKind, string> = {
  'needs-input': 'Waiting for you',
  ended: 'Ended',
  'pr-ready': 'Pull request',
  handoff: 'Handed off',
  trouble: 'Something is wrong',
}
const MAX_LENGTH = 500

/** Wraps a notifier as a channel: it announces asks, and answers come through another channel. */
export function notifierChannel(notifier: Notifier, parts: NotifierParts): Channel {
  const send = async (notice: Notice): Promise<boolean> => {
    const settings = await parts.settingsFor(notice.project)
    if (!settings[notifier.name]) return false
    const { project, session, kind } = notice
    const news: News = { project, session, kind, text: notice.ask ?? notice.text }
    if (!(await firstTime(notifier.name, news, parts))) return false
    return await notifier.send(notice, settings)
  }
  return {
    name: notifier.name,
    start: async () => {},
    stop: async () => {},
    settle: async () => {},
    show: async ask => (await send(noticeOf(ask))) && notifier.reaches,
    tell: ({ project, text, kind = 'trouble', session }) =>
      send({
        kind,
        project,
        session,
        title: `Baton: ${TITLES[kind]}`,
        text: text.slice(0, MAX_LENGTH).toWellFormed(),
      }),
  }
}

function noticeOf({ id, title, detail, facts }: Ask): Notice {
  return {
    kind: 'needs-input',
    title: `Baton: ${facts.agent ?? 'an agent'} asks`,
    text: visible(`${title}\n${detail}`).slice(0, MAX_LENGTH).toWellFormed(),
    project: facts.project ?? '/',
    session: facts.session,
    ask: id,
  }
}
