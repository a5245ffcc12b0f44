import { join } from 'node:path'
import type { SettingChange, SettingChanged, SettingRow } from '@batonpass/contract/dashboard'
import type { EntryBody } from '@batonpass/contract/journal'
import { systemFiles } from '../adapters/system/files.ts'
import { editSetting, settingForm } from '../config/edit-setting.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { ConfigKey } from '../config/keys.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Source } from '../config/node.ts'
import { CONFIG_NAMES } from '../config/places.ts'
import { configRows } from '../config/render.ts'
import { valueAt } from '../config/trust.ts'
import { readUserFile, tilde } from '../config/user-file.ts'
import type { Redactor } from '../journal/redact.ts'

export interface SettingsParts {
  home: string
  redactor: Redactor
  config: ConfigKeeper
  note(body: EntryBody): Promise<void>
}

/** Every setting, with a form for each that the user's own file decides. */
export async function settingRows(
  loaded: LoadedConfig,
  { home, redactor }: Pick<SettingsParts, 'home' | 'redactor'>,
): Promise<SettingRow[]> {
  const text = await readUserFile(home, systemFiles).catch(() => undefined)
  return configRows(loaded, (key, source) => {
    const elsewhere = setElsewhere(key, source, home)
    if (elsewhere) return { fixed: elsewhere }
    if (text === undefined) return { fixed: 'Your settings file cannot be read.' }
    const form = settingForm(key, text, valueAt(loaded.config, key.path))
    // A redacted text must not be saved over the secret in it.
    if (form.value !== undefined && redactor.text(form.value) !== form.value)
      return { fixed: 'It contains a secret: edit the file.' }
    return { edit: { key: key.name, form } }
  })
}

/** Changes the user's own file and waits until the change is in use. */
export async function changeSetting(
  change: SettingChange,
  { home, config, note }: Pick<SettingsParts, 'home' | 'config' | 'note'>,
): Promise<SettingChanged> {
  const { file, line } = await editSetting(home, change, systemFiles)
  await config.refresh()
  await note({
    kind: 'config',
    what: 'loaded',
    file,
    message: `${change.key} was changed in the dashboard`,
  })
  return { file: tilde(file, home), ...(line === undefined ? {} : { line }) }
}

/** Why a change of the user's own file would have no effect. The lists of all files are combined, so theirs always has one. */
function setElsewhere({ facts }: ConfigKey, source: Source, home: string): string | undefined {
  switch (source.kind) {
    case 'environment':
      return `Set by the variable ${source.variable}.`
    case 'safe':
      return 'A configuration file is not valid: fix it first.'
    case 'file':
      return facts.accumulates || CONFIG_NAMES.some(name => join(home, name) === source.file)
        ? undefined
        : `Set by ${tilde(source.file, home)}: edit that file, then run \`baton trust\`.`
    case 'default':
      return undefined
  }
}
