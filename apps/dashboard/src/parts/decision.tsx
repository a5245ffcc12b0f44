import type { Entry } from '@batonpass/contract/journal'
import { WHO } from '../words.ts'
import { Command, Trail, toneOf } from './analysis.tsx'
import { Tag } from './tag.tsx'
import { useWhole } from './whole.ts'

/** A decision drawn: what was judged, part by part, who decided and why. */
export function Decision({ entry }: { entry: Entry }) {
  const { body } = useWhole(entry)
  if (body.kind !== 'decision') return null
  const { subject, decision, by, reason, trail, undo, tookMs } = body
  return (
    <div class="decision">
      <Command text={subject} trail={trail} />
      <p>
        <Tag tone={toneOf(decision)}>{decision}</Tag> by {WHO[by].toLowerCase()}: {reason}
        {undo ? (
          <>
            {' '}
            <code>baton undo {undo}</code> takes it back.
          </>
        ) : null}
        {tookMs === undefined ? null : <span class="dim"> {tookMs.toFixed(1)} ms</span>}
      </p>
      <Trail steps={trail} />
    </div>
  )
}
