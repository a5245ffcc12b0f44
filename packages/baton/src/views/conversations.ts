import type { ConversationView } from '@batonpass/contract/conversation'
import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import type { HostedConversations } from '../chat/hosted-conversations.ts'
import type { Redactor } from '../journal/redact.ts'
import type { Driver, LiveConversation, Typed } from '../ports/driver.ts'
import type { Store } from '../ports/store.ts'

export interface ConversationParts {
  store: Pick<Store, 'findSession'>
  redactor: Redactor
  driverAt(place: string): Driver | undefined
  /** Of agents that other programs of Baton's host. */
  talks: HostedConversations
}

/** What a person sees of a session, and says to it, from outside. */
export interface Conversations {
  /** Without a conversation: undefined. */
  open(id: string): Promise<Pick<LiveConversation, 'since' | 'listen'> | undefined>
  /** Types a prompt of the person into the session. */
  say(id: string, text: string): Promise<Typed>
  interrupt(id: string): Promise<'interrupted' | 'idle' | 'gone'>
}

const NOTHING: ConversationView = { state: 'none', rev: 0, items: [], plan: [] }

export function composeConversations({ store, redactor, driverAt, talks }: ConversationParts): Conversations {
  const the = async (id: string): Promise<Session> => {
    const session = await store.findSession(id)
    if (session) return session
    throw new BatonError('not_found', `No session ${id}`, { remedy: 'See `baton status --all`.' })
  }
  /** Where the session is now; one that ended is nowhere, whoever came after it at its place. */
  const placeOf = ({ pane, endedAt }: Session): { driver: Driver; pane: string } | undefined => {
    const driver = pane === undefined || endedAt !== undefined ? undefined : driverAt(pane)
    return pane === undefined || !driver ? undefined : { driver, pane }
  }
  return {
    async open(id) {
      const session = await the(id)
      const { pane, nativeSession } = session
      // Looked up each time: after a handoff another conversation is open at the same place.
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
      const session = await the(id)
      // First where it is hosted: the terminal that is known of it may be the one that its host runs in.
      const heard = talks.of(session.id)?.say({ kind: 'say', text }) ?? 'deaf'
      if (heard !== 'deaf') return heard
      const place = placeOf(session)
      return place ? await place.driver.type(place.pane, text, session.agent) : 'gone'
    },
    async interrupt(id) {
      const session = await the(id)
      if (talks.of(session.id)?.say({ kind: 'stop' }) === 'taken') return 'interrupted'
      const place = placeOf(session)
      return place ? await place.driver.interrupt(place.pane, session.agent) : 'gone'
    },
  }
}
