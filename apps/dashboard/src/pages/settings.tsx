import type { SettingRow, SettingsView } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { logout } from '../api.ts'
import { Page } from '../parts/page.tsx'
import { SettingEditor } from '../parts/setting-editor.tsx'
import { Empty, Tag } from '../parts/tag.tsx'
import { useResource } from '../resource.ts'
import { switchTheme, themeLabel } from '../theme.ts'
import { folderName } from '../words.ts'

/** Every current setting, where it comes from, and a form to change it. The daemon never sends secrets to this page. */
export function SettingsPage() {
  const [project, setProject] = useState('')
  const [words, setWords] = useState('')
  const [changed, setChanged] = useState(false)
  const path = `/api/page/settings${project ? `?project=${encodeURIComponent(project)}` : ''}`
  const { data, error, reload } = useResource<SettingsView>(path, ({ body }) => body.kind === 'config')
  if (!data) return <Page title="Settings" error={error} />
  const rows = data.rows.filter(
    row =>
      (!changed || !row.isDefault) &&
      `${row.name} ${row.description}`.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <Page
      title="Settings"
      tools={
        <>
          <label class="hidden" for="project">
            Project
          </label>
          <select id="project" value={project} onChange={event => setProject(event.currentTarget.value)}>
            <option value="">this machine</option>
            {data.projects.map(each => (
              <option key={each} value={each}>
                {folderName(each)}
              </option>
            ))}
          </select>
          <label class="hidden" for="setting">
            Find a setting
          </label>
          <input
            id="setting"
            type="search"
            placeholder="Find a setting"
            value={words}
            onInput={event => setWords(event.currentTarget.value)}
          />
          <button type="button" aria-pressed={changed} onClick={() => setChanged(!changed)}>
            {changed ? 'Show all' : 'Show changed only'}
          </button>
          <button type="button" onClick={switchTheme}>
            {themeLabel()}
          </button>
          <button type="button" onClick={() => void logout()}>
            Log out
          </button>
        </>
      }
    >
      {data.problems.length > 0 ? (
        <ul class="notice bad">
          {data.problems.map(problem => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : null}
      {data.files.length > 0 ? (
        <p class="dim">
          Read from{' '}
          {data.files.map(({ path, standing }) => (
            <span key={path}>
              <code>{path}</code>{' '}
              <Tag tone={standing === 'untrusted' ? 'wait' : 'plain'}>
                {FILE_STATES[standing] ?? standing}
              </Tag>{' '}
            </span>
          ))}
        </p>
      ) : (
        <p class="dim">There is no configuration file: every setting has its default.</p>
      )}
      <p class="dim">
        What you save here goes into your own settings file and applies at once. Baton never changes a
        project's file.
      </p>
      {rows.length === 0 ? <Empty title="No setting matches" /> : null}
      {groupsOf(rows).map(([name, group]) => (
        <section key={name} aria-labelledby={`group-${name}`}>
          <h2 id={`group-${name}`}>{name}</h2>
          <Rows rows={group} onSaved={reload} />
        </section>
      ))}
    </Page>
  )
}

/** What users read for the trust of a configuration file. */
const FILE_STATES: Record<string, string> = {
  own: 'yours',
  trusted: 'trusted',
  untrusted: 'not trusted',
  refused: 'refused',
}

/** Groups settings by the first part of their names. */
function groupsOf(rows: readonly SettingRow[]): [string, SettingRow[]][] {
  const groups = new Map<string, SettingRow[]>()
  for (const row of rows) {
    const name = row.name.split('.')[0] ?? row.name
    groups.set(name, [...(groups.get(name) ?? []), row])
  }
  return [...groups]
}

function Rows({ rows, onSaved }: { rows: readonly SettingRow[]; onSaved(): void }) {
  return (
    <table class="table list settings">
      <thead>
        <tr>
          <th>Setting</th>
          <th>Value</th>
          <th>From</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.name} data-changed={!row.isDefault}>
            <td class="wide">
              <code>{row.name}</code>
              <div class="dim">{row.description}</div>
            </td>
            <td title={row.expects}>
              <code>{row.shown}</code>
              {row.edit ? <SettingEditor row={row} edit={row.edit} onSaved={onSaved} /> : null}
              {row.fixed ? <p class="dim">{row.fixed}</p> : null}
            </td>
            <td>{row.isDefault ? <span class="dim">default</span> : <code>{row.source}</code>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
