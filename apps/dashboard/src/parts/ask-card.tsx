import type { Ask, AskOption } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { OPTION_LABELS } from '@batonpass/contract/labels'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { visibleText } from '../invisible.ts'
import { Link } from '../router.tsx'
import { Ago, duration, now } from '../time.tsx'
import { AGENTS, folderName } from '../words.ts'
import { Analysis, Command } from './analysis.tsx'
import { Glyph } from './glyph.tsx'

interface AskCardProps {
  view: AskView
  current: boolean
  onAnswer(option: AskOption, reason?: string): void
}

/** One question with everything needed to answer it. */
export function AskCard({ view: { ask, subject, judgement }, current, onAnswer }: AskCardProps) {
  const [explaining, setExplaining] = useState(false)
  const [sent, setSent] = useState(false)
  const reason = useRef<HTMLTextAreaElement>(null)
  const { agent, project, session, cwd, tool } = ask.facts
  const left = Date.parse(ask.expiresAt) - now.value
  const whole = Date.parse(ask.expiresAt) - Date.parse(ask.createdAt)
  // Focus at once: what the user types next is the reason, not keys that answer.
  useLayoutEffect(() => {
    if (explaining) reason.current?.focus()
  }, [explaining])
  const answer = (option: AskOption, why?: string) => {
    setSent(true)
    onAnswer(option, why)
  }
  const denyWithReason = () => {
    const why = reason.current?.value.trim()
    if (why) answer('deny-with-reason', why)
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
            {session ? <Link to={`/sessions/${session}`}>{folderName(project)}</Link> : folderName(project)}
            {cwd && cwd !== project ? ` (${visibleText(cwd, 160)})` : ''}
          </span>
          <span class="left">
            asked <Ago at={ask.createdAt} /> · {left > 0 ? `${duration(left)} left` : 'time is up'}
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
          const { key, look } = BUTTONS[option]
          return (
            <button
              key={option}
              type="button"
              class={look}
              data-option={option}
              disabled={sent}
              aria-expanded={option === 'deny-with-reason' ? explaining : undefined}
              onClick={() => (option === 'deny-with-reason' ? setExplaining(true) : answer(option))}
            >
              {OPTION_LABELS[option]} {current ? <kbd>{key}</kbd> : null}
            </button>
          )
        })}
        {explaining ? (
          <form
            class="reason"
            onSubmit={event => {
              event.preventDefault()
              denyWithReason()
            }}
          >
            <label for={`why-${ask.id}`}>Tell the agent why</label>
            <textarea
              id={`why-${ask.id}`}
              ref={reason}
              maxLength={2000}
              onKeyDown={event => {
                if (event.key === 'Enter' && !event.shiftKey) {
                  event.preventDefault()
                  denyWithReason()
                } else if (event.key === 'Escape') setExplaining(false)
              }}
            />
            <div>
              <button type="submit" class="no" disabled={sent}>
                Deny with this reason
              </button>
            </div>
          </form>
        ) : null}
      </div>
    </article>
  )
}

const BUTTONS: Record<AskOption, { key: string; look: string }> = {
  'allow-once': { key: 'a', look: 'yes' },
  'allow-session': { key: 's', look: '' },
  deny: { key: 'd', look: 'no' },
  'deny-with-reason': { key: 'r', look: 'no' },
  yes: { key: 'a', look: 'yes' },
  no: { key: 'd', look: 'no' },
}

/** What the question says in addition to the command itself. */
function reasonIn({ detail }: Ask, subject: string): string {
  return detail.startsWith(subject) ? detail.slice(subject.length).trim() : ''
}
