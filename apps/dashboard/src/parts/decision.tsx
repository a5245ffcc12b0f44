import { duration } from '@batonpass/contract/duration'
import type { Entry } from '@batonpass/contract/journal'
import { decidedLabel } from '@batonpass/contract/labels'
import { Command, Trail, toneOf } from './analysis.tsx'
import { useFullEntry } from './full-entry.ts'
import { inline } from './prose.tsx'
import { Tag } from './tag.tsx'

/** A decision: the command part by part, who decided and why. */
export function Decision({ entry }: { entry: Entry }) {
  const { body } = useFullEntry(entry)
  if (body.kind !== 'decision') return null
  const { subject, decision, by, reason, trail, undo, tookMs } = body
  return (
    <div class="decision">
      <Command text={subject} trail={trail} />
      <p>
        <Tag tone={toneOf(decision)}>{decidedLabel(decision, by)}</Tag> {inline(reason)}
        {undo ? (
          <>
            {' '}
            <code>baton undo {undo}</code> restores the project's files as they were before.
          </>
        ) : null}
        {tookMs === undefined ? null : <span class="dim"> {duration(tookMs)}</span>}
      </p>
      <Trail steps={trail} />
    </div>
  )
}
