import type { Ask, AskOption } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'
import { Analysis, Command } from '../parts/analysis.tsx'
import { Glyph } from '../parts/card.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { Ago, now, span } from '../time.tsx'
import { AGENTS, baseOf } from '../words.ts'

interface AskPage {
  open: AskView[]
  settled: Ask[]
}

/** Questions that wait for a person: everything needed to answer, and the answer one key away. */
export function AsksPage() {
  const { data, error, reload } = useResource<AskPage>('/api/page/asks', ({ body }) => body.kind === 'ask')
  const [current, setCurrent] = useState(0)
  const [trouble, setTrouble] = useState<ApiError>()
  const open = data?.open.toSorted((a, b) => (a.ask.createdAt < b.ask.createdAt ? -1 : 1)) ?? []
  const chosen = Math.min(current, open.length - 1)

  const answer = async ({ ask }: AskView, option: AskOption, reason?: string) => {
    setTrouble(undefined)
    try {
      // Bound to what is on this page: had it changed meanwhile, the answer would not count.
      await post(`/api/asks/${ask.id}/answer`, {
        option,
        fingerprint: ask.fingerprint,
        ...(reason ? { reason } : {}),
      })
    } catch (cause) {
      if (cause instanceof ApiError) setTrouble(cause)
    }
    reload()
  }

  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
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

  if (!data) return <Page title="Asks" error={error} />
  return (
    <Page title="Asks" error={trouble} about={open.length > 0 ? `${open.length} open` : undefined}>
      <div ref={list}>
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
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

const WORDS: Record<AskOption, { word: string; key: string; look: string }> = {
  'allow-once': { word: 'Allow once', key: 'a', look: 'yes' },
  'allow-session': { word: 'Allow for this session', key: 's', look: '' },
  deny: { word: 'Deny', key: 'd', look: 'no' },
  'deny-with-reason': { word: 'Deny and say why', key: 'r', look: 'no' },
  yes: { word: 'Yes', key: 'a', look: 'yes' },
  no: { word: 'No', key: 'd', look: 'no' },
}

interface AskCardProps {
  view: AskView
  current: boolean
  onAnswer(option: AskOption, reason?: string): void
}

function AskCard({ view: { ask, subject, judgement }, current, onAnswer }: AskCardProps) {
  const [saying, setSaying] = useState(false)
  const [given, setGiven] = useState(false)
  const reason = useRef<HTMLTextAreaElement>(null)
  const { agent, project, session, cwd, tool } = ask.facts
  const left = Date.parse(ask.expiresAt) - now.value
  const whole = Date.parse(ask.expiresAt) - Date.parse(ask.createdAt)
  useEffect(() => {
    if (saying) reason.current?.focus()
  }, [saying])
  const answer = (option: AskOption, words?: string) => {
    setGiven(true)
    onAnswer(option, words)
  }
  const sayWhy = () => {
    const words = reason.current?.value.trim()
    if (words) answer('deny-with-reason', words)
  }
  return (
    <article class="ask" data-current={current} data-ask={ask.id} aria-label={ask.title}>
      <div class="clock">
        <i style={{ width: `${Math.max(0, Math.min(100, (left / whole) * 100))}%` }} />
      </div>
      <div>
        <div class="head">
          {agent ? <Glyph agent={agent} /> : null}
          <h3>{tool ?? ask.title}</h3>
          <span class="dim">
            {agent ? AGENTS[agent] : ''} in{' '}
            {session ? <Link to={`/sessions/${session}`}>{baseOf(project)}</Link> : baseOf(project)}
            {cwd && cwd !== project ? ` (${cwd})` : ''}
          </span>
          <span class="left">
            asked <Ago at={ask.createdAt} /> · {left > 0 ? `${span(left)} left` : 'time is up'}
          </span>
        </div>
        <div style={{ marginTop: '12px' }}>
          <Command text={subject} {...(judgement ? { trail: judgement.trail } : {})} />
        </div>
        <p class="why">{reasonIn(ask, subject) || judgement?.reason}</p>
        {judgement ? <Analysis judgement={judgement} /> : null}
      </div>
      <div class="answers">
        {ask.options.map(option => {
          const { word, key, look } = WORDS[option]
          return (
            <button
              key={option}
              type="button"
              class={look}
              data-option={option}
              disabled={given}
              aria-expanded={option === 'deny-with-reason' ? saying : undefined}
              onClick={() => (option === 'deny-with-reason' ? setSaying(true) : answer(option))}
            >
              {word} {current ? <kbd>{key}</kbd> : null}
            </button>
          )
        })}
        {saying ? (
          <form
            class="reason"
            onSubmit={event => {
              event.preventDefault()
              sayWhy()
            }}
          >
            <label for={`why-${ask.id}`}>What the agent is told</label>
            <textarea
              id={`why-${ask.id}`}
              ref={reason}
              maxLength={2000}
              onKeyDown={event => {
                if (event.key === 'Enter' && !event.shiftKey) {
                  event.preventDefault()
                  sayWhy()
                } else if (event.key === 'Escape') setSaying(false)
              }}
            />
            <div>
              <button type="submit" class="no" disabled={given}>
                Deny with this reason
              </button>
            </div>
          </form>
        ) : null}
      </div>
    </article>
  )
}

/** What stands in the question beside the command itself. */
function reasonIn({ detail }: Ask, subject: string): string {
  return detail.startsWith(subject) ? detail.slice(subject.length).trim() : ''
}

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
                <code>{ask.detail.split('\n')[0]?.slice(0, 160)}</code>
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
