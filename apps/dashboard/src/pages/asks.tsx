import type { Ask, AskOption } from '@batonpass/contract/ask'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAsks } from '../asks.ts'
import { isTyping } from '../key-target.ts'
import { AskCard } from '../parts/ask-card.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { Ago } from '../time.tsx'
import { plainly } from '../unseen.ts'

/** Questions that wait for a person: everything needed to answer, and the answer one key away. */
export function AsksPage() {
  const { data, error, open, trouble, answer } = useAsks()
  const [current, setCurrent] = useState(0)
  const chosen = Math.min(current, open.length - 1)

  const list = useRef<HTMLDivElement>(null)
  // With the picture that is answered, not a moment after it: the key is meant for what is seen.
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
        if (option === 'deny-with-reason')
          list.current?.children[chosen]
            ?.querySelector<HTMLButtonElement>('[data-option=deny-with-reason]')
            ?.click()
        else if (option) void answer(view, option)
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  // Who answers by keyboard goes on with the next question, not at the top of the page.
  const held = useRef(false)
  useEffect(() => {
    if (!held.current || document.activeElement !== document.body) return
    const next = list.current?.children[chosen] ?? document.getElementById('page')
    if (next instanceof HTMLElement) next.focus()
  })

  if (!data) return <Page title="Asks" error={error} />
  return (
    <Page title="Asks" error={trouble} about={open.length > 0 ? `${open.length} open` : undefined}>
      <div
        ref={list}
        onFocusIn={() => {
          held.current = true
        }}
      >
        {open.map((view, index) => (
          <AskCard
            key={view.ask.id}
            view={view}
            current={index === chosen}
            onAnswer={(option, reason) => void answer(view, option, reason)}
          />
        ))}
      </div>
      {open.length === 0 ? (
        <Empty title="Nothing waits for an answer">
          When an agent wants something that no rule decides, it appears here, in the terminal and by Telegram
          at once.
        </Empty>
      ) : null}
      {data.settled.length > 0 ? <Settled asks={data.settled} /> : null}
    </Page>
  )
}

const KEYS: Record<string, readonly AskOption[]> = {
  a: ['allow-once', 'yes'],
  s: ['allow-session'],
  d: ['deny', 'no'],
  r: ['deny-with-reason'],
}
const optionFor = (key: string, ask: Ask): AskOption | undefined =>
  KEYS[key]?.find(option => ask.options.includes(option))

function Settled({ asks }: { asks: readonly Ask[] }) {
  return (
    <section aria-labelledby="settled">
      <h2 id="settled">Settled</h2>
      <table class="table list">
        <thead>
          <tr>
            <th>What</th>
            <th>Answer</th>
            <th>By</th>
            <th>When</th>
          </tr>
        </thead>
        <tbody>
          {asks.map(ask => (
            <tr key={ask.id}>
              <td class="wide">
                <code>{plainly(ask.detail.split('\n')[0] ?? '', 160)}</code>
              </td>
              <td>
                <Tag tone={ask.answer ? (/allow|yes/.test(ask.answer.option) ? 'good' : 'bad') : 'plain'}>
                  {ask.answer?.option ?? ask.withdrawn ?? ask.state}
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
