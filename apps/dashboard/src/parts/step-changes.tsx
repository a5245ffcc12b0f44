import type { StepChangesView } from '@batonpass/contract/dashboard'
import { useRef } from 'preact/hooks'
import { useResource } from '../resource.ts'
import { dayAndTime } from '../time.tsx'
import { Diff } from './diff.tsx'
import type { Step } from './timeline.ts'
import { UndoFlow } from './undo.tsx'

/** What a step changed in the files, and a button that undoes it. */
export function StepChanges({ undo }: { undo: NonNullable<Step['undo']> }) {
  return undo.unchanged ? <p class="dim">It changed no files.</p> : <Changes {...undo} />
}

function Changes({ project, step }: { project: string; step: number }) {
  const query = new URLSearchParams({ project, step: String(step) })
  const isFinal = useRef(false)
  const { data, error, reload } = useResource<StepChangesView>(
    `/api/page/undo/changes?${query}`,
    // The next snapshot, or the end of a call, may change the answer; after the next snapshot nothing does.
    entry =>
      !isFinal.current &&
      entry.project === project &&
      (entry.body.kind === 'decision' || entry.body.kind === 'event'),
  )
  isFinal.current = data?.until !== undefined
  if (error) return <p class="dim">{error.message}</p>
  if (!data) return <p class="dim">Loading what changed …</p>
  return (
    <section class="changes" aria-label="What changed">
      <p class="dim">
        {data.until
          ? `Files that changed until the next snapshot (${dayAndTime(data.until)}):`
          : 'Files that changed since then:'}
      </p>
      <Diff patch={data.patch} label="Changes of this step" />
      <UndoFlow project={project} onDone={reload}>
        {loadPreview => (
          <button type="button" onClick={() => loadPreview(step)}>
            Undo this step and what followed
          </button>
        )}
      </UndoFlow>
    </section>
  )
}
