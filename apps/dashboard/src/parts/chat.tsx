import type { ConversationItem, ConversationView } from '@batonpass/contract/conversation'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { useEffect, useRef } from 'preact/hooks'
import { useAsks } from '../asks.ts'
import { type Conversation, useConversation } from '../conversation.ts'
import { useResource } from '../resource.ts'
import { AGENTS } from '../words.ts'
import { AskCard } from './ask-card.tsx'
import { Item } from './conversation-items.tsx'
import { Say } from './say.tsx'
import { Empty, Tag } from './tag.tsx'
import { toldBy } from './told.ts'

const MAX_LENGTH = 4000
const BACK = 200

/** What is said between person, Baton and agent: live where Baton hosts the agent, else as the journal tells it. */
export function Chat({ session }: { session: Session }) {
  const live = useConversation(session.id)
  const path = `/api/page/entries?session=${session.id}&order=desc&limit=${BACK}&longest=${MAX_LENGTH}`
  const { data } = useResource<{ entries: Entry[] }>(path, entry => entry.session === session.id)
  const asks = useAsks()
  const open = asks.open.filter(({ ask }) => ask.facts.session === session.id)
  const asked = new Set(open.map(({ subject }) => subject))
  const items = joined(data ? toldBy(data.entries) : [], live).map(item => asking(item, asked))
  const canSay = isHosted(session) || live.hears
  if (!data || live.state === 'looking') return <p class="dim">Looking …</p>
  return (
    <div class="chat">
      {live.plan.length > 0 ? <Plan steps={live.plan} /> : null}
      {items.length === 0 ? (
        <Empty title="Nothing was said yet">
          {canSay ? 'Say something below.' : 'Prompts and replies appear here.'}
        </Empty>
      ) : (
        <Said items={items} agent={AGENTS[session.agent]} state={open.length > 0 ? 'dialog' : live.state} />
      )}
      {asks.trouble ? (
        <p class="notice bad" role="alert">
          {asks.trouble.message}. {asks.trouble.remedy ?? ''}
        </p>
      ) : null}
      {open.map(view => (
        <AskCard
          key={view.ask.id}
          view={view}
          current={false}
          onAnswer={(option, reason) => void asks.answer(view, option, reason)}
        />
      ))}
      {!isHosted(session) && (live.state === 'waiting' || live.state === 'working') ? (
        <p class="dim">
          This conversation is held in a terminal (<code>baton chat</code>):{' '}
          {live.hears ? 'what you say here is said there, too.' : 'answer it there.'}
        </p>
      ) : null}
      {canSay && !session.endedAt && live.state !== 'dead' ? (
        <Say session={session} working={live.state === 'working' || live.state === 'dialog'} />
      ) : null}
    </div>
  )
}

export const isHosted = ({ pane }: Session): boolean => pane?.startsWith('hosted ') ?? false

/** What was said before this daemon began to listen stands in the journal. */
function joined(told: readonly ConversationItem[], { items }: Conversation): ConversationItem[] {
  const from = items[0]?.at
  return [...told.filter(({ at }) => from === undefined || at < from).map(early), ...items]
}

/** An agent with hooks asks by them: its own protocol calls that running. */
const asking = (item: ConversationItem, asked: ReadonlySet<string>): ConversationItem =>
  item.kind === 'call' && item.state === 'running' && asked.has(item.subject)
    ? { ...item, state: 'asks' }
    : item

/** Told by the journal: numbered below everything that is live. */
const early = (item: ConversationItem): ConversationItem => ({ ...item, nth: item.nth - 2 ** 40 })

interface SaidProps {
  items: readonly ConversationItem[]
  agent: string
  state: Conversation['state']
}

/** Follows the end of the conversation, unless somebody reads back. */
function Said({ items, agent, state }: SaidProps) {
  const box = useRef<HTMLElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element && atEnd.current) element.scrollTop = element.scrollHeight
  })
  return (
    <section
      class="conversation"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse could not scroll it otherwise
      tabIndex={0}
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 60
      }}
    >
      <ol>
        {items.map(item => (
          <Item key={item.nth} item={item} agent={agent} />
        ))}
      </ol>
      <p class="doing" role="status">
        {state === 'working' ? <Tag tone="good" pulse>{`${agent} works`}</Tag> : null}
        {state === 'dialog' ? <Tag tone="wait">{`${agent} waits for a yes`}</Tag> : null}
      </p>
    </section>
  )
}

function Plan({ steps }: { steps: ConversationView['plan'] }) {
  const done = steps.filter(step => step.done).length
  return (
    <details class="panel plan" open>
      <summary>
        Plan, {done} of {steps.length} done
      </summary>
      <ul>
        {steps.map(({ text, done: isDone }, index) => (
          <li key={`${index}${text}`} data-done={isDone}>
            <span class="box">{isDone ? '☑' : '☐'}</span> {text}
            <span class="hidden">{isDone ? ' (done)' : ' (open)'}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
