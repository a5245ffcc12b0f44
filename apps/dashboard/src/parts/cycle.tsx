import type { Cycle, CycleStep } from '@batonpass/contract/cycle'
import type { Session } from '@batonpass/contract/session'
import { useState } from 'preact/hooks'
import { ApiError, del, post } from '../api.ts'
import { useResource } from '../resource.ts'
import { Link } from '../router.tsx'
import { now, span } from '../time.tsx'
import type { Tone } from '../words.ts'
import { Tag } from './tag.tsx'

/** The steps in their order; a person may be needed at any of them. */
const STEPS: readonly (readonly [step: CycleStep, title: string])[] = [
  ['due', 'Due'],
  ['writing', 'Document'],
  ['clearing', 'Clear'],
  ['resuming', 'Resume'],
  ['verifying', 'Verify'],
  ['continuing', 'Go on'],
]

/** Handoffs of live sessions that are under way. */
export function useCycles(): readonly Cycle[] {
  const { data } = useResource<{ cycles: Cycle[] }>('/api/cycles', ({ body }) => body.kind === 'cycle')
  return data?.cycles ?? NONE
}
const NONE: readonly Cycle[] = []

/** The cycle that a session is in, on either side of it. */
export const cycleOf = (cycles: readonly Cycle[], { id }: Pick<Session, 'id'>): Cycle | undefined =>
  cycles.find(({ session, successor }) => session === id || successor?.session === id)

/** What a cycle waits for, in words. */
function waitsFor({ step, sent, taken, busy, why, lost }: Cycle): string {
  if (lost) return 'the session is gone; its document is saved from the evidence'
  if (busy > 0) return 'its terminal is in use; waits until nobody types there'
  switch (step) {
    case 'due':
      return 'waits for the end of the turn'
    case 'writing':
      return taken
        ? 'the agent writes the document'
        : sent
          ? 'asked for the document'
          : 'asks for the document'
    case 'clearing':
      return sent ? 'waits for the fresh session' : 'clears the context'
    case 'resuming':
      return sent ? 'waits for the fresh session to begin' : 'tells the fresh session to go on'
    case 'verifying':
      return 'waits for the fresh session to show that it has the essentials'
    case 'continuing':
      return 'the fresh session takes up the work'
    case 'person':
      return why ?? 'waits for you'
    default:
      return why ?? step
  }
}

const REASONS: Record<Cycle['reason'], string> = {
  context: 'the context is full',
  overflow: 'the next turn may not fit',
  asked: 'somebody asked for it',
  restart: 'its agent had to begin afresh',
}

const toneOf = ({ step }: Cycle): Tone => (step === 'person' ? 'bad' : 'info')

/** One line for a card. */
export function CycleLine({ cycle }: { cycle: Cycle }) {
  return (
    <p class="cycle-line">
      <Tag tone={toneOf(cycle)}>handoff: {cycle.step}</Tag>{' '}
      <span class="dim">
        {waitsFor(cycle)} · {span(now.value - Date.parse(cycle.changedAt))}
      </span>
    </p>
  )
}

/** Where the handoff of this session stands, for how long, and what it waits for. */
export function CyclePanel({ cycle }: { cycle: Cycle }) {
  const { step, stuckAt, tries, document, startedAt, changedAt, reason, percent, successor } = cycle
  const at = STEPS.findIndex(([name]) => name === (step === 'person' ? stuckAt : step))
  return (
    <section class="panel cycle" aria-labelledby="cycle">
      <h2 id="cycle">
        Handoff under way: {REASONS[reason]}
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
          for {span(now.value - Date.parse(changedAt))} · {span(now.value - Date.parse(startedAt))} in all
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
          Goes on in <Link to={`/sessions/${successor.session}`}>{successor.nativeSession.slice(0, 8)}</Link>
        </p>
      ) : null}
      {step === 'person' ? (
        <p>
          <Link class="button" to="/asks">
            Answer its question
          </Link>
        </p>
      ) : null}
    </section>
  )
}

/** Hands the session off now, or calls that off. */
export function CycleButton({ session, cycle }: { session: Session; cycle: Cycle | undefined }) {
  const [said, setSaid] = useState('')
  if (session.endedAt || session.pane === undefined) return null
  const act = async () => {
    setSaid('')
    const path = `/api/sessions/${session.id}/cycle`
    await (cycle ? del(path) : post(path, {})).catch((cause: unknown) =>
      setSaid(
        cause instanceof ApiError ? `${cause.message}. ${cause.remedy ?? ''}` : 'The daemon does not answer',
      ),
    )
  }
  return (
    <>
      <span class="dim" role="status">
        {said}
      </span>
      <button type="button" onClick={() => void act()}>
        {cycle ? 'Call the handoff off' : 'Hand off now'}
      </button>
    </>
  )
}
