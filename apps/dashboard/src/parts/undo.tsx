import type { Recap } from '@batonpass/contract/recap'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get, post } from '../api.ts'
import { Ago } from '../time.tsx'
import { countOf } from '../words.ts'
import { Diff } from './diff.tsx'
import { markInvisible } from './invisible.tsx'

interface Preview {
  step: { step: number; label: string; at: string }
  patch: string
  notes: string[]
}

interface UndoProps {
  project: string
  steps: Recap['projects'][number]['undo']
  /** Whether the page's `u` key presses this button. */
  withKey: boolean
}

/** The steps of a project that can be undone. */
export function Undo({ project, steps, withKey }: UndoProps) {
  const [newest, ...older] = steps
  if (!newest) return null
  return (
    <UndoFlow project={project}>
      {loadPreview => (
        <>
          <p>
            <button type="button" data-undo onClick={() => loadPreview(newest.step)}>
              Undo the last step {withKey ? <kbd>u</kbd> : null}
            </button>{' '}
            <code>{markInvisible(newest.subject)}</code> <Ago at={newest.at} />
          </p>
          {older.length > 0 ? (
            <details>
              <summary>{countOf(older.length, 'earlier step')} can be undone</summary>
              <ul>
                {older.slice(0, 20).map(({ step, subject, at }) => (
                  <li key={step}>
                    <button type="button" class="quiet" onClick={() => loadPreview(step)}>
                      Undo {step}
                    </button>{' '}
                    <code>{markInvisible(subject)}</code> <Ago at={at} />
                  </li>
                ))}
              </ul>
            </details>
          ) : null}
        </>
      )}
    </UndoFlow>
  )
}

interface FlowProps {
  project: string
  /** The buttons; each calls `loadPreview` with its step. */
  children(loadPreview: (step: number) => void): ComponentChildren
  onDone?(): void
}

/** Undoes a step: shows what would change, then does it. */
export function UndoFlow({ project, children, onDone }: FlowProps) {
  const [preview, setPreview] = useState<Preview>()
  const [status, setStatus] = useState('')
  const loadPreview = (step: number) => {
    setStatus('')
    const query = new URLSearchParams({ project, step: String(step) })
    void get<Preview>(`/api/page/undo?${query}`).then(setPreview, failed)
  }
  const undo = async (step: number) => {
    await post<{ undoneBy?: number }>('/api/page/undo', { project, step }).then(({ undoneBy }) => {
      setPreview(undefined)
      setStatus(undoneBy ? `Done. To revert this: baton undo ${undoneBy}` : 'Nothing had changed since then.')
      onDone?.()
    }, failed)
  }
  const failed = (cause: unknown) =>
    setStatus(cause instanceof ApiError ? `${cause.message}. ${cause.remedy ?? ''}` : String(cause))
  const confirm = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (preview) confirm.current?.focus()
  }, [preview])
  return (
    <div class="undo">
      {children(loadPreview)}
      {preview ? (
        <>
          <p>
            Undo everything since <code>{markInvisible(preview.step.label)}</code>. This would change:
          </p>
          <Diff patch={preview.patch} label="What would change" />
          <p>
            <button type="button" class="no" ref={confirm} onClick={() => void undo(preview.step.step)}>
              Undo step {preview.step.step}
            </button>{' '}
            <button type="button" onClick={() => setPreview(undefined)}>
              Cancel
            </button>
          </p>
        </>
      ) : null}
      <p role="status">{status}</p>
    </div>
  )
}
