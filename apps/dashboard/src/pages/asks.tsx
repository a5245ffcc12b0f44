import type { Ask, AskOption } from '@batonpass/contract/ask'
import { isYes, needsReason, outcomeLabel } from '@batonpass/contract/labels'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAsks } from '../asks.ts'
import { visibleText } from '../invisible.ts'
import { isTyping } from '../key-target.ts'
import { AskCard } from '../parts/ask-card.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { Ago } from '../time.tsx'

/** The open questions, with everything needed to answer them, and a key for each answer. */
export function AsksPage() {
  const { data, error, open, trouble, answer } = useAsks()
  const [current, setCurrent] = useState(0)
  const chosen = Math.min(current, open.length - 1)

  const list = useRef<HTMLDivElement>(null)
  // A layout effect, so that a key always answers the question that is on the screen at that moment.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const view = open[chosen]
      if (event.key === 'j' || event.key === 'k') {
        const next = Math.max(0, Math.min(open.length - 1, chosen + (event.key === 'j' ? 1 : -1)))
        setCurrent(next)
        list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
      } else if (view && event.key in KEYS) {
        const option = optionFor(event.key, view.ask)
        if (option && needsReason(option))
          list.current?.children[chosen]?.querySelector<HTMLButtonElement>(`[data-option=${option}]`)?.click()
        else if (option) void answer(view, { option })
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  // A user who answers by keyboard continues with the next question, not at the top of the page.
  const hadFocus = useRef(false)
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return
    const next = list.current?.children[chosen] ?? document.getElementById('page')
    if (next instanceof HTMLElement) next.focus()
  })

  if (!data) return <Page title="Asks" error={error} />
  return (
    <Page title="Asks" error={trouble} about={open.length > 0 ? `${open.length} open` : undefined}>
      <div
        ref={list}
        onFocusIn={() => {
          hadFocus.current = true
        }}
      >
        {open.map((view, index) => (
          <AskCard
            key={view.ask.id}
            view={view}
            current={index === chosen}
            onAnswer={given => void answer(view, given)}
          />
        ))}
      </div>
      {open.length === 0 ? (
        <Empty title="No open questions">
          When an agent wants something that no rule decides, the question appears here, in the terminal and
          in Telegram at once.
        </Empty>
      ) : null}
      {data.settled.length > 0 ? <Settled asks={data.settled} /> : null}
    </Page>
  )
}

const KEYS: Record<string, readonly AskOption[]> = {
  a: ['allow-once', 'yes', 'approve'],
  s: ['allow-session'],
  p: ['allow-project'],
  e: ['allow-everywhere'],
  d: ['deny', 'no', 'decline'],
  r: ['deny-with-reason', 'send-back'],
}
const optionFor = (key: string, ask: Ask): AskOption | undefined =>
  KEYS[key]?.find(option => ask.options.includes(option))

function Settled({ asks }: { asks: readonly Ask[] }) {
  return (
    <section aria-labelledby="settled">
      <h2 id="settled">Answered or closed</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>Question</th>
            <th>Answer</th>
            <th>By</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {asks.map(ask => (
            <tr key={ask.id}>
              <td class="wide">
                <code>{visibleText(ask.detail.split('\n')[0] ?? '', 160)}</code>
              </td>
              <td>
                <Tag tone={ask.answer ? (isYes(ask.answer.option) ? 'good' : 'bad') : 'plain'}>
                  {visibleText(outcomeLabel(ask), 160)}
                </Tag>{' '}
                <span class="dim">{ask.answer?.reason ?? ''}</span>
              </td>
              <td class="dim tight">{ask.answer ? `${ask.answer.by.who} (${ask.answer.by.channel})` : ''}</td>
              <td class="tight">
                <Ago at={ask.settledAt ?? ask.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
