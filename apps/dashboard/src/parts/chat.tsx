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
import { conversationFromJournal } from './journal-conversation.ts'
import { PromptBox } from './prompt-box.tsx'
import { Empty, Tag } from './tag.tsx'

const MAX_LENGTH = 4000
const BACK = 200

/** The conversation between user, Baton and agent: live if Baton hosts the agent, else from the journal. */
export function Chat({ session }: { session: Session }) {
  const live = useConversation(session.id)
  const path = `/api/page/entries?session=${session.id}&order=desc&limit=${BACK}&longest=${MAX_LENGTH}`
  const { data } = useResource<{ entries: Entry[] }>(path, entry => entry.session === session.id)
  const asks = useAsks()
  const open = asks.open.filter(({ ask }) => ask.facts.session === session.id)
  const asked = new Set(open.map(({ subject }) => subject))
  const items = joinJournalAndLive(data ? conversationFromJournal(data.entries) : [], live).map(item =>
    markAsking(item, asked),
  )
  const canPrompt = isHosted(session) || live.hears
  if (!data || live.state === 'looking') return <p class="dim">Loading …</p>
  return (
    <div class="chat">
      {live.plan.length > 0 ? <Plan steps={live.plan} /> : null}
      {items.length === 0 ? (
        <Empty title="No messages yet">
          {canPrompt ? 'Write to the agent below.' : 'Prompts and replies appear here.'}
        </Empty>
      ) : (
        <Messages
          items={items}
          agent={AGENTS[session.agent]}
          state={open.length > 0 ? 'dialog' : live.state}
        />
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
          onAnswer={given => void asks.answer(view, given)}
        />
      ))}
      {!isHosted(session) && (live.state === 'waiting' || live.state === 'working') ? (
        <p class="dim">
          This conversation runs in a terminal (<code>baton chat</code>):{' '}
          {live.hears ? 'what you write here appears there, too.' : 'answer it there.'}
        </p>
      ) : null}
      {canPrompt && !session.endedAt && live.state !== 'dead' ? (
        <PromptBox session={session} working={live.state === 'working' || live.state === 'dialog'} />
      ) : null}
    </div>
  )
}

export const isHosted = ({ pane }: Session): boolean => pane?.startsWith('hosted ') ?? false

/** Adds what was said before this daemon started, from the journal. */
function joinJournalAndLive(
  fromJournal: readonly ConversationItem[],
  { items }: Conversation,
): ConversationItem[] {
  const from = items[0]?.at
  return [...fromJournal.filter(({ at }) => from === undefined || at < from).map(numberBelowLive), ...items]
}

/** An agent with hooks asks through them, while its protocol still reports the call as running. */
const markAsking = (item: ConversationItem, asked: ReadonlySet<string>): ConversationItem =>
  item.kind === 'call' && item.state === 'running' && asked.has(item.subject)
    ? { ...item, state: 'asks' }
    : item

/** Numbers an item from the journal below every live item. */
const numberBelowLive = (item: ConversationItem): ConversationItem => ({ ...item, nth: item.nth - 2 ** 40 })

interface MessagesProps {
  items: readonly ConversationItem[]
  agent: string
  state: Conversation['state']
}

/** Scrolls to the end of the conversation, unless the user has scrolled back to read. */
function Messages({ items, agent, state }: MessagesProps) {
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users could not scroll it otherwise
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
        {state === 'working' ? <Tag tone="good" pulse>{`${agent} is working`}</Tag> : null}
        {state === 'dialog' ? <Tag tone="wait">{`${agent} is waiting for permission`}</Tag> : null}
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
