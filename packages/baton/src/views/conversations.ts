import type { ConversationView } from '@batonpass/contract/conversation'
import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import type { HostedConversations } from '../chat/hosted-conversations.ts'
import type { Redactor } from '../journal/redact.ts'
import type { Driver, LiveConversation, TypeResult } from '../ports/driver.ts'
import type { Store } from '../ports/store.ts'

export interface ConversationParts {
  store: Pick<Store, 'findSession'>
  redactor: Redactor
  driverAt(place: string): Driver | undefined
  /** Conversations of agents that other Baton programs host. */
  talks: HostedConversations
}

/** Lets a person follow a session's conversation and send input from the dashboard. */
export interface Conversations {
  /** Undefined if the session has no conversation that Baton can show. */
  open(id: string): Promise<Pick<LiveConversation, 'since' | 'listen'> | undefined>
  /** Sends a person's prompt to the session. */
  say(id: string, text: string): Promise<TypeResult>
  interrupt(id: string): Promise<'interrupted' | 'idle' | 'gone'>
}

const NOTHING: ConversationView = { state: 'none', rev: 0, items: [], plan: [] }

export function composeConversations({ store, redactor, driverAt, talks }: ConversationParts): Conversations {
  const getSession = async (id: string): Promise<Session> => {
    const session = await store.findSession(id)
    if (session) return session
    throw new BatonError('not_found', `No session ${id}`, {
      remedy: 'Run `baton status --all` to list the sessions.',
    })
  }
  /** Where the session runs now. An ended session has no place: another session may use its terminal. */
  const placeOf = ({ pane, endedAt }: Session): { driver: Driver; pane: string } | undefined => {
    const driver = pane === undefined || endedAt !== undefined ? undefined : driverAt(pane)
    return pane === undefined || !driver ? undefined : { driver, pane }
  }
  return {
    async open(id) {
      const session = await getSession(id)
      const { pane, nativeSession } = session
      // Look it up each time: after a handoff another conversation is open at the same place.
      const current = (): Pick<LiveConversation, 'since' | 'listen'> | undefined => {
        const here = pane === undefined ? undefined : driverAt(pane)?.conversation?.(pane)
        return here?.nativeSession === nativeSession ? here : talks.of(session.id)
      }
      const talk = current()
      if (!talk) return undefined
      return {
        since: rev => redactor.redact(current()?.since(rev) ?? { ...NOTHING, rev }) as ConversationView,
        listen: listener => talk.listen(listener),
      }
    },
    async say(id, text) {
      const session = await getSession(id)
      // Try the hosting program first: the known terminal may be the one that this program runs in.
      const heard = talks.of(session.id)?.say({ kind: 'say', text }) ?? 'deaf'
      if (heard !== 'deaf') return heard
      const place = placeOf(session)
      return place ? await place.driver.type(place.pane, text, session.agent) : 'gone'
    },
    async interrupt(id) {
      const session = await getSession(id)
      if (talks.of(session.id)?.say({ kind: 'stop' }) === 'taken') return 'interrupted'
      const place = placeOf(session)
      return place ? await place.driver.interrupt(place.pane, session.agent) : 'gone'
    },
  }
}
