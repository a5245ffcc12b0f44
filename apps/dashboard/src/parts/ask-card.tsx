import type { Ask, AskOption } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { duration } from '@batonpass/contract/duration'
import { needsReason, OPTION_LABELS } from '@batonpass/contract/labels'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { GivenAnswer } from '../asks.ts'
import { visibleText } from '../invisible.ts'
import { Link } from '../router.tsx'
import { Ago, now } from '../time.tsx'
import { AGENTS, folderName } from '../words.ts'
import { Analysis, Command } from './analysis.tsx'
import { Glyph } from './glyph.tsx'
import { Prose } from './prose.tsx'
import { QuestionForm } from './question-form.tsx'

interface AskCardProps {
  view: AskView
  current: boolean
  onAnswer(given: GivenAnswer): void
}

/** One question with everything needed to answer it. */
export function AskCard({ view: { ask, subject, judgement }, current, onAnswer }: AskCardProps) {
  const [explaining, setExplaining] = useState<AskOption>()
  const [sent, setSent] = useState(false)
  const reason = useRef<HTMLTextAreaElement>(null)
  const { agent, project, session, cwd, tool, machine } = ask.facts
  const left = Date.parse(ask.expiresAt) - now.value
  const whole = Date.parse(ask.expiresAt) - Date.parse(ask.createdAt)
  // Focus at once: what the user types next is the reason, not keys that answer.
  useLayoutEffect(() => {
    if (explaining) reason.current?.focus()
  }, [explaining])
  const answer = (given: GivenAnswer) => {
    setSent(true)
    onAnswer(given)
  }
  const answerWithReason = () => {
    const why = reason.current?.value.trim()
    if (why && explaining) answer({ option: explaining, reason: why })
  }
  const asksItself = ask.kind === 'question' || ask.kind === 'form' || ask.kind === 'plan'
  return (
    <article class="ask" tabIndex={-1} data-current={current} data-ask={ask.id} aria-label={ask.title}>
      <div class="clock">
        <i style={{ width: `${Math.max(0, Math.min(100, (left / whole) * 100))}%` }} />
      </div>
      <div>
        <div class="head">
          {agent ? <Glyph agent={agent} /> : null}
          <h2>{asksItself ? visibleText(ask.title, 300) : (tool ?? ask.title)}</h2>
          <span class="dim">
            {agent ? AGENTS[agent] : ''} in{' '}
            {session && !machine ? (
              <Link to={`/sessions/${session}`}>{folderName(project)}</Link>
            ) : (
              folderName(project)
            )}
            {cwd && cwd !== project ? ` (${visibleText(cwd, 160)})` : ''}
            {machine ? ` on ${visibleText(machine, 80)}` : ''}
          </span>
          <span class="left">
            asked <Ago at={ask.createdAt} /> · {left > 0 ? `${duration(left)} left` : 'time is up'}
          </span>
        </div>
        {asksItself ? (
          <Asked ask={ask} sent={sent} onReply={replies => answer({ option: 'reply', replies })} />
        ) : (
          <>
            <div class="subject">
              <Command text={subject} {...(judgement ? { trail: judgement.trail } : {})} />
            </div>
            <p class="why">{reasonIn(ask, subject) || judgement?.reason}</p>
            {judgement ? <Analysis judgement={judgement} /> : null}
          </>
        )}
      </div>
      <div class="answers">
        {ask.options
          .filter(option => option !== 'reply')
          .map(option => {
            const { key, look } = BUTTONS[option]
            return (
              <button
                key={option}
                type="button"
                class={look}
                data-option={option}
                disabled={sent}
                aria-expanded={needsReason(option) ? explaining === option : undefined}
                onClick={() => (needsReason(option) ? setExplaining(option) : answer({ option }))}
              >
                {OPTION_LABELS[option]} {current && key ? <kbd>{key}</kbd> : null}
              </button>
            )
          })}
        {explaining ? (
          <form
            class="reason"
            onSubmit={event => {
              event.preventDefault()
              answerWithReason()
            }}
          >
            <label for={`why-${ask.id}`}>
              {explaining === 'send-back' ? 'Tell the agent what to change' : 'Tell the agent why'}
            </label>
            <textarea
              id={`why-${ask.id}`}
              ref={reason}
              maxLength={2000}
              onKeyDown={event => {
                if (event.key === 'Enter' && !event.shiftKey) {
                  event.preventDefault()
                  answerWithReason()
                } else if (event.key === 'Escape') setExplaining(undefined)
              }}
            />
            <div>
              <button type="submit" class="no" disabled={sent}>
                {explaining === 'send-back' ? 'Send back with this comment' : 'Deny with this reason'}
              </button>
            </div>
          </form>
        ) : null}
      </div>
    </article>
  )
}

interface AskedProps {
  ask: Ask
  sent: boolean
  onReply(replies: NonNullable<GivenAnswer['replies']>): void
}

/** What the agent itself asks: its questions as a form, or its plan to read. */
function Asked({ ask, sent, onReply }: AskedProps) {
  const { questions, attachments = [] } = ask
  const message = ask.kind === 'form' ? (ask.detail.split('\n\n')[0] ?? '') : ''
  return (
    <>
      {message ? <p class="why">{visibleText(message)}</p> : null}
      {attachments.map(({ title, text }) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users could not scroll it otherwise
        <section key={title} class="attachment" aria-label={title} tabIndex={0}>
          <Prose text={visibleText(text)} />
        </section>
      ))}
      {questions ? <QuestionForm ask={ask} questions={questions} sent={sent} onReply={onReply} /> : null}
    </>
  )
}

const BUTTONS: Record<AskOption, { key: string; look: string }> = {
  'allow-once': { key: 'a', look: 'yes' },
  'allow-session': { key: 's', look: '' },
  'allow-project': { key: 'p', look: '' },
  'allow-everywhere': { key: 'e', look: '' },
  deny: { key: 'd', look: 'no' },
  'deny-with-reason': { key: 'r', look: 'no' },
  yes: { key: 'a', look: 'yes' },
  no: { key: 'd', look: 'no' },
  reply: { key: '', look: 'yes' },
  decline: { key: 'd', look: 'no' },
  approve: { key: 'a', look: 'yes' },
  'send-back': { key: 'r', look: 'no' },
  'on-screen': { key: '', look: '' },
}

/** What the question says in addition to the command itself. */
function reasonIn({ detail }: Ask, subject: string): string {
  return detail.startsWith(subject) ? detail.slice(subject.length).trim() : ''
}
