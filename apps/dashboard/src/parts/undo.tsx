import type { Recap } from '@batonpass/contract/recap'
import { useState } from 'preact/hooks'
import { ApiError, get, post } from '../api.ts'
import { Ago } from '../time.tsx'
import { counted } from '../words.ts'
import { Scroller } from './scroller.tsx'

interface Preview {
  step: { step: number; label: string; at: string }
  patch: string
  notes: string[]
}

/** Takes a step back: first what would change, then doing it. */
export function Undo({ project, steps }: { project: string; steps: Recap['projects'][number]['undo'] }) {
  const [preview, setPreview] = useState<Preview>()
  const [said, setSaid] = useState('')
  const query = (step: number) => new URLSearchParams({ project, step: String(step) })
  const look = async (step: number) => {
    setSaid('')
    await get<Preview>(`/api/page/undo?${query(step)}`).then(setPreview, failed)
  }
  const back = async (step: number) => {
    await post<{ undoneBy?: number }>('/api/page/undo', { project, step }).then(({ undoneBy }) => {
      setPreview(undefined)
      setSaid(undoneBy ? `Done. To take this back: baton undo ${undoneBy}` : 'Nothing was different.')
    }, failed)
  }
  const failed = (cause: unknown) =>
    setSaid(cause instanceof ApiError ? `${cause.message}. ${cause.remedy ?? ''}` : String(cause))
  return (
    <div class="undo">
      <details>
        <summary>{counted(steps.length, 'step')} can be taken back</summary>
        <ul>
          {steps.slice(0, 20).map(({ step, subject, at }) => (
            <li key={step}>
              <button type="button" class="quiet" onClick={() => void look(step)}>
                Undo {step}
              </button>{' '}
              <code>{subject}</code> <Ago at={at} />
            </li>
          ))}
        </ul>
      </details>
      {preview ? (
        <>
          <p>
            Back to before <code>{preview.step.label}</code>. This would change:
          </p>
          <Scroller look="command" label="What would change">
            {preview.patch || 'No file.'}
          </Scroller>
          <p>
            <button type="button" class="no" onClick={() => void back(preview.step.step)}>
              Go back to step {preview.step.step}
            </button>{' '}
            <button type="button" onClick={() => setPreview(undefined)}>
              Leave it
            </button>
          </p>
        </>
      ) : null}
      <p role="status">{said}</p>
    </div>
  )
}
