import type { CallState, ConversationItem } from '@batonpass/contract/conversation'
import { useState } from 'preact/hooks'
import { clockTime } from '../time.tsx'
import type { Tone } from '../words.ts'
import { markInvisible } from './invisible.tsx'
import { Prose } from './prose.tsx'
import { Tag } from './tag.tsx'

/** One message, tool call or note of a conversation. */
export function Item({ item, agent }: { item: ConversationItem; agent: string }) {
  switch (item.kind) {
    case 'prompt':
      return (
        <li class="said" data-who={item.automatic ? 'baton' : 'prompt'}>
          <Byline name={item.automatic ? 'Continued by Baton' : 'Prompt'} at={item.at} />
          <LongText text={item.text} />
        </li>
      )
    case 'reply':
      return (
        <li class="said" data-who="agent">
          <Byline name={agent} at={item.at} />
          <Prose text={item.text} />
        </li>
      )
    case 'thought':
      return (
        <li class="said" data-who="thought">
          <details>
            <summary>Thought</summary>
            <Prose text={item.text} />
          </details>
        </li>
      )
    case 'call':
      return <Call item={item} />
    case 'note':
      return (
        <li class={item.bad ? 'said note bad' : 'said note'}>
          <p>{item.text}</p>
        </li>
      )
  }
}

const LONG = 700

/** A prompt. A long one, such as Baton's request for a handoff document, is cut until the user expands it. */
function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(text.length <= LONG)
  return (
    <div class="prose">
      <p>{markInvisible(open ? text : `${text.slice(0, LONG).toWellFormed()} …`)}</p>
      {open ? null : (
        <p>
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            Show all
          </button>
        </p>
      )}
    </div>
  )
}

const Byline = ({ name, at }: { name: string; at: string }) => (
  <p class="byline">
    <b>{name}</b> <time dateTime={at}>{clockTime(at)}</time>
  </p>
)

const STATES: Record<CallState, { word: string; tone: Tone }> = {
  running: { word: 'running', tone: 'info' },
  asks: { word: 'asks', tone: 'wait' },
  done: { word: 'done', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
}

/** A tool call with its state; a click shows its result. */
function Call({
  item: { tool, subject, state, result },
}: {
  item: Extract<ConversationItem, { kind: 'call' }>
}) {
  const [open, setOpen] = useState(false)
  const { word, tone } = STATES[state]
  return (
    <li class="said call" data-state={state}>
      <button
        type="button"
        aria-expanded={open}
        disabled={!result && subject.length < 80}
        onClick={() => setOpen(!open)}
      >
        <b>{tool}</b>
        <code>{markInvisible(subject)}</code>
        <Tag tone={tone} pulse={state === 'running'}>
          {word}
        </Tag>
      </button>
      {open ? <pre>{result ?? subject}</pre> : null}
    </li>
  )
}
