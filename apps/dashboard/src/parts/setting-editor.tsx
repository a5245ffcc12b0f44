import type { SettingChange, SettingChanged, SettingForm, SettingRow } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'

interface EditorProps {
  row: SettingRow
  edit: NonNullable<SettingRow['edit']>
  onSaved(): void
}

/** Changes one key in the user's own settings file. The daemon checks the value and keeps the file's comments. */
export function SettingEditor({ row, edit: { key, form }, onSaved }: EditorProps) {
  const [open, setOpen] = useState(false)
  const [value, setValue] = useState('')
  const [status, setStatus] = useState<{ text: string; bad: boolean }>()
  const [busy, setBusy] = useState(false)
  const save = async (change: SettingChange) => {
    setBusy(true)
    try {
      const { file, line } = await post<SettingChanged>('/api/page/settings', change)
      setStatus({
        text: line ? `Saved in ${file}, line ${line}.` : `Removed from ${file}: the default applies.`,
        bad: false,
      })
      setOpen(false)
      onSaved()
    } catch (cause) {
      const text =
        cause instanceof ApiError
          ? [cause.message, cause.remedy].filter(Boolean).join(' ')
          : 'The daemon does not answer.'
      setStatus({ text, bad: true })
    }
    setBusy(false)
  }
  const about = `about-${key}`
  return (
    <>
      {open ? (
        <form
          class="setting-form"
          onSubmit={event => {
            event.preventDefault()
            void save(changeOf(key, form, value))
          }}
        >
          <Control name={key} form={form} value={value} about={about} onChange={setValue} />
          <p id={about} class="dim">
            Expected: {row.expects}
          </p>
          <p>
            <button type="submit" disabled={busy}>
              Save
            </button>{' '}
            {form.isSet ? (
              <button type="button" disabled={busy} onClick={() => void save({ key })}>
                Use the default
              </button>
            ) : null}{' '}
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </p>
        </form>
      ) : (
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${key}`}
          onClick={() => {
            setValue(form.value ?? '')
            setStatus(undefined)
            setOpen(true)
          }}
        >
          Edit
        </button>
      )}
      <p role="status" class={status?.bad ? 'bad-text' : 'dim'}>
        {status?.text}
      </p>
    </>
  )
}

interface ControlProps {
  name: string
  form: SettingForm
  value: string
  /** The id of the text that says what is expected. */
  about: string
  onChange(value: string): void
}

function Control({ name, form: { kind, choices, min, max }, value, about, onChange }: ControlProps) {
  const labels = { 'aria-label': name, 'aria-describedby': about }
  if (kind === 'flag' || kind === 'choice')
    return (
      <select {...labels} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {(kind === 'flag' ? ['true', 'false'] : (choices ?? [])).map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    )
  if (kind === 'yaml')
    return (
      <textarea
        {...labels}
        class="mono"
        rows={Math.min(Math.max(value.split('\n').length + 1, 3), 20)}
        value={value}
        onInput={event => onChange(event.currentTarget.value)}
      />
    )
  const input = {
    ...labels,
    value,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  }
  if (kind === 'secret') return <input type="password" {...input} />
  if (kind === 'number') return <input type="number" step="any" min={min} max={max} {...input} />
  return <input type="text" {...input} />
}

/** The change that the form asks for. An empty field of a number or of YAML removes the key. */
function changeOf(key: string, { kind }: SettingForm, value: string): SettingChange {
  switch (kind) {
    case 'flag':
      return { key, value: value === 'true' }
    case 'number':
      return value.trim() === '' ? { key } : { key, value: Number(value) }
    case 'yaml':
      return value.trim() === '' ? { key } : { key, yaml: value }
    default:
      return { key, value }
  }
}
