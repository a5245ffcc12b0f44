import { ruleLabel, STEP_LABELS } from '@batonpass/contract/labels'
import type { PermissionJudgement, PermissionStep } from '@batonpass/contract/permission'
import { visibleText } from '../invisible.ts'
import type { Tone } from '../words.ts'
import { markInvisible } from './invisible.tsx'
import { Scroller } from './scroller.tsx'
import { Tag } from './tag.tsx'

export const toneOf = (decision: string): Tone =>
  decision === 'allow' ? 'good' : decision === 'deny' ? 'bad' : 'wait'

/** The command, with each part underlined in the colour of the rules' decision about it. */
export function Command({ text, trail = [] }: { text: string; trail?: readonly PermissionStep[] }) {
  return (
    <Scroller look="text command" label={`The whole command: ${visibleText(text, 60)}`}>
      {piecesOf(text, trail).map(({ start, piece, step }) =>
        step ? (
          <mark
            key={start}
            data-tone={toneOf(step.decision)}
            title={`${STEP_LABELS[step.decision]}: ${step.reason}`}
          >
            {markInvisible(piece)}
          </mark>
        ) : (
          markInvisible(piece)
        ),
      )}
    </Scroller>
  )
}

interface Piece {
  start: number
  piece: string
  step?: PermissionStep
}

/** Finds each judged part in the command by its text. A part that the analysis rewrote appears only in the trail. */
function piecesOf(text: string, trail: readonly PermissionStep[]): Piece[] {
  const spans: { from: number; to: number; step: PermissionStep }[] = []
  for (const step of trail) {
    const from = placeOf(text, step.part, spans)
    if (from >= 0) spans.push({ from, to: from + step.part.length, step })
  }
  const pieces: Piece[] = []
  let at = 0
  for (const { from, to, step } of spans.sort((a, b) => a.from - b.from)) {
    if (from > at) pieces.push({ start: at, piece: text.slice(at, from) })
    pieces.push({ start: from, piece: text.slice(from, to), step })
    at = to
  }
  if (at < text.length) pieces.push({ start: at, piece: text.slice(at) })
  return pieces
}

/** Where the part occurs as whole words outside the parts already marked; -1 if nowhere. */
function placeOf(text: string, part: string, taken: readonly { from: number; to: number }[]): number {
  if (part === '') return -1
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + 1)) {
    const to = from + part.length
    const alone = !/[\w./-]/.test(text[from - 1] ?? '') && !/[\w./-]/.test(text[to] ?? '')
    if (alone && !taken.some(each => from < each.to && to > each.from)) return from
  }
  return -1
}

/** Why the rules decided as they did, part by part, and what the command would touch. */
export function Analysis({ judgement }: { judgement: PermissionJudgement }) {
  return (
    <div class="analysis">
      <Trail steps={judgement.trail} />
      <Effects judgement={judgement} />
    </div>
  )
}

export function Trail({ steps }: { steps: readonly PermissionStep[] }) {
  if (steps.length === 0) return <p class="dim">No rule matches it.</p>
  return (
    <ol class="trail" aria-label="What the rules say about each part">
      {steps.map((step, index) => (
        <li key={`${index}${step.rule}`} data-tone={toneOf(step.decision)}>
          <code>{markInvisible(step.part)}</code>{' '}
          <Tag tone={toneOf(step.decision)}>{STEP_LABELS[step.decision]}</Tag>
          <p class="why">
            {step.reason} <span class="mono">[{ruleLabel(step.rule)}]</span>
          </p>
        </li>
      ))}
    </ol>
  )
}

function Effects({ judgement: { effects, reversible } }: { judgement: PermissionJudgement }) {
  const { reads, writes, hosts, network, outside, unknown } = effects
  const rows: [string, readonly string[]][] = [
    ['Reads', reads],
    ['Writes', writes],
    ['Network', hosts.length > 0 ? hosts : network ? ['yes'] : []],
    ['Unknown', unknown],
  ]
  return (
    <dl class="effects">
      {rows.map(([name, values]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {values.length === 0 ? (
              <span class="dim">nothing</span>
            ) : (
              <code>{markInvisible(values.join(', '))}</code>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>Undo</dt>
        <dd>
          {reversible ? 'can be undone' : outside ? 'reaches outside the worktree' : 'cannot be undone'}
        </dd>
      </div>
    </dl>
  )
}
