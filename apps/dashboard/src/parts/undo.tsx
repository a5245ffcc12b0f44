import type { Recap } from '@batonpass/contract/recap'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get, post } from '../api.ts'
import { Ago } from '../time.tsx'
import { counted } from '../words.ts'
import { Scroller } from './scroller.tsx'
import { seen } from './unseen.tsx'

interface Preview {
  step: { step: number; label: string; at: string }
  patch: string
  notes: string[]
}

interface UndoProps {
  project: string
  steps: Recap['projects'][number]['undo']
  /** The key `u` of the page presses this one. */
  withKey: boolean
}

/** Takes a step back: first what would change, then doing it. */
export function Undo({ project, steps, withKey }: UndoProps) {
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
  const confirm = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (preview) confirm.current?.focus()
  }, [preview])
  const [newest, ...older] = steps
  if (!newest) return null
  return (
    <div class="undo">
      <p>
        <button type="button" data-undo onClick={() => void look(newest.step)}>
          Undo the last step {withKey ? <kbd>u</kbd> : null}
        </button>{' '}
        <code>{seen(newest.subject)}</code> <Ago at={newest.at} />
      </p>
      {older.length > 0 ? (
        <details>
          <summary>{counted(older.length, 'earlier step')} can be taken back</summary>
          <ul>
            {older.slice(0, 20).map(({ step, subject, at }) => (
              <li key={step}>
                <button type="button" class="quiet" onClick={() => void look(step)}>
                  Undo {step}
                </button>{' '}
                <code>{seen(subject)}</code> <Ago at={at} />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      {preview ? (
        <>
          <p>
            Back to before <code>{seen(preview.step.label)}</code>. This would change:
          </p>
          <Scroller look="text command" label="What would change">
            {preview.patch || 'No file.'}
          </Scroller>
          <p>
            <button type="button" class="no" ref={confirm} onClick={() => void back(preview.step.step)}>
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
