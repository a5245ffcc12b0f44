import type { Cycle, CycleStep } from '@batonpass/contract/cycle'
import { duration } from '@batonpass/contract/duration'
import { CYCLE_STEP_LABELS } from '@batonpass/contract/labels'
import type { Session } from '@batonpass/contract/session'
import { useState } from 'preact/hooks'
import { ApiError, del, post } from '../api.ts'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { now } from '../time.tsx'
import type { Tone } from '../words.ts'
import { Tag } from './tag.tsx'

/** The steps in order. Any of them may need a person. */
const STEPS: readonly (readonly [step: CycleStep, title: string])[] = [
  ['due', 'Due'],
  ['writing', 'Document'],
  ['clearing', 'Clear'],
  ['resuming', 'Resume'],
  ['verifying', 'Verify'],
  ['continuing', 'Continue'],
]

/** The running handoffs of live sessions. */
export function useCycles(): readonly Cycle[] {
  const { data } = useResource<{ cycles: Cycle[] }>('/api/cycles', ({ body }) => body.kind === 'cycle')
  return data?.cycles ?? NONE
}
const NONE: readonly Cycle[] = []

/** The cycle that a session takes part in, as the old session or the fresh one. */
export const cycleOf = (cycles: readonly Cycle[], { id }: Pick<Session, 'id'>): Cycle | undefined =>
  cycles.find(({ session, successor }) => session === id || successor?.session === id)

/** What a cycle waits for, in a sentence. */
function waitsFor({ step, sent, taken, busy, why, lost }: Cycle): string {
  if (lost) return 'the session is gone; Baton writes its document from the evidence'
  if (busy > 0) return 'its terminal is in use; waiting until no one types there'
  switch (step) {
    case 'due':
      return 'waiting for the turn to end'
    case 'writing':
      return taken
        ? 'the agent is writing the document'
        : sent
          ? 'document requested'
          : 'requesting the document'
    case 'clearing':
      return sent ? 'waiting for the fresh session' : 'clearing the context'
    case 'resuming':
      return sent ? 'waiting for the fresh session to start' : 'sending the document to the fresh session'
    case 'verifying':
      return 'waiting for the fresh session to repeat the essentials'
    case 'continuing':
      return 'the fresh session continues the work'
    case 'person':
      return why ?? 'waiting for you'
    default:
      return why ?? CYCLE_STEP_LABELS[step]
  }
}

const REASONS: Record<Cycle['reason'], string> = {
  context: 'the context is full',
  overflow: 'the next turn may not fit',
  asked: 'a person requested it',
  restart: 'the agent was restarted',
  hung: 'the agent no longer answers',
}

const toneOf = ({ step }: Cycle): Tone => (step === 'person' ? 'bad' : 'info')

/** One line for a card. */
export function CycleLine({ cycle }: { cycle: Cycle }) {
  return (
    <p class="cycle-line">
      <Tag tone={toneOf(cycle)}>handoff: {CYCLE_STEP_LABELS[cycle.step]}</Tag>{' '}
      <span class="dim">
        {waitsFor(cycle)} · {duration(now.value - Date.parse(cycle.changedAt))}
      </span>
    </p>
  )
}

/** The current step of this session's handoff, how long it has taken, and what it waits for. */
export function CyclePanel({ cycle }: { cycle: Cycle }) {
  const { step, stuckAt, tries, document, startedAt, changedAt, reason, percent, successor } = cycle
  const at = STEPS.findIndex(([name]) => name === (step === 'person' ? stuckAt : step))
  return (
    <section class="panel cycle" aria-labelledby="cycle">
      <h2 id="cycle">
        Handoff in progress: {REASONS[reason]}
        {percent === undefined ? '' : ` (${Math.round(percent)} %)`}
      </h2>
      <ol class="stages" aria-label="Steps of the handoff">
        {STEPS.map(([name, title], index) => {
          const state = index < at ? 'done' : index > at ? 'open' : step === 'person' ? 'blocked' : 'here'
          return (
            <li key={name} data-state={state} aria-current={index === at ? 'step' : undefined}>
              <span>
                {title}
                <span class="hidden"> {state}</span>
              </span>
            </li>
          )
        })}
      </ol>
      <p>
        {waitsFor(cycle)}{' '}
        <span class="dim">
          for {duration(now.value - Date.parse(changedAt))} · {duration(now.value - Date.parse(startedAt))} in
          all
          {tries > 0 ? ` · ${tries} failed attempt${tries === 1 ? '' : 's'} of this step` : ''}
        </span>
      </p>
      {document ? (
        <p>
          Document{' '}
          <Link to={`/sessions/${cycle.session}/handoffs`}>
            <code>{document}</code>
          </Link>
        </p>
      ) : null}
      {successor ? (
        <p>
          Continues in{' '}
          <Link to={`/sessions/${successor.session}`}>{successor.nativeSession.slice(0, 8)}</Link>
        </p>
      ) : null}
      {step === 'person' ? (
        <p>
          <Link class="button" to="/asks">
            Answer the question
          </Link>
        </p>
      ) : null}
    </section>
  )
}

/** Starts a handoff of the session, or cancels the running one. */
export function CycleButton({ session, cycle }: { session: Session; cycle: Cycle | undefined }) {
  const [status, setStatus] = useState('')
  if (session.endedAt || session.pane === undefined) return null
  const act = async () => {
    setStatus('')
    const path = `/api/sessions/${session.id}/cycle`
    await (cycle ? del(path) : post(path, {})).catch((cause: unknown) =>
      setStatus(
        cause instanceof ApiError
          ? `${cause.message}. ${cause.remedy ?? ''}`
          : 'The daemon does not answer. Start it with `baton up`.',
      ),
    )
  }
  return (
    <>
      <span class="dim" role="status">
        {status}
      </span>
      <button type="button" onClick={() => void act()}>
        {cycle ? 'Cancel the handoff' : 'Hand off now'}
      </button>
    </>
  )
}
