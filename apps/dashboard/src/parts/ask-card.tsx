import type { Ask, AskOption } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Link } from '../router.tsx'
import { Ago, now, span } from '../time.tsx'
import { plainly } from '../unseen.ts'
import { AGENTS, baseOf } from '../words.ts'
import { Analysis, Command } from './analysis.tsx'
import { Glyph } from './glyph.tsx'

interface AskCardProps {
  view: AskView
  current: boolean
  onAnswer(option: AskOption, reason?: string): void
}

/** One question with everything needed to answer it. */
export function AskCard({ view: { ask, subject, judgement }, current, onAnswer }: AskCardProps) {
  const [saying, setSaying] = useState(false)
  const [given, setGiven] = useState(false)
  const reason = useRef<HTMLTextAreaElement>(null)
  const { agent, project, session, cwd, tool } = ask.facts
  const left = Date.parse(ask.expiresAt) - now.value
  const whole = Date.parse(ask.expiresAt) - Date.parse(ask.createdAt)
  // At once: what is typed next are words, and no keys that answer.
  useLayoutEffect(() => {
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
    <article class="ask" tabIndex={-1} data-current={current} data-ask={ask.id} aria-label={ask.title}>
      <div class="clock">
        <i style={{ width: `${Math.max(0, Math.min(100, (left / whole) * 100))}%` }} />
      </div>
      <div>
        <div class="head">
          {agent ? <Glyph agent={agent} /> : null}
          <h2>{tool ?? ask.title}</h2>
          <span class="dim">
            {agent ? AGENTS[agent] : ''} in{' '}
            {session ? <Link to={`/sessions/${session}`}>{baseOf(project)}</Link> : baseOf(project)}
            {cwd && cwd !== project ? ` (${plainly(cwd, 160)})` : ''}
          </span>
          <span class="left">
            asked <Ago at={ask.createdAt} /> · {left > 0 ? `${span(left)} left` : 'time is up'}
          </span>
        </div>
        <div class="subject">
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

const WORDS: Record<AskOption, { word: string; key: string; look: string }> = {
  'allow-once': { word: 'Allow once', key: 'a', look: 'yes' },
  'allow-session': { word: 'Allow for this session', key: 's', look: '' },
  deny: { word: 'Deny', key: 'd', look: 'no' },
  'deny-with-reason': { word: 'Deny and say why', key: 'r', look: 'no' },
  yes: { word: 'Yes', key: 'a', look: 'yes' },
  no: { word: 'No', key: 'd', look: 'no' },
}

/** What stands in the question beside the command itself. */
function reasonIn({ detail }: Ask, subject: string): string {
  return detail.startsWith(subject) ? detail.slice(subject.length).trim() : ''
}
