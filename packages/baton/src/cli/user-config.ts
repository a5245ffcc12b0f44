import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { isMap, parseDocument } from 'yaml'
import { CONFIG_NAMES } from '../config/places.ts'
import { replaceFile } from '../daemon/secret-file.ts'
import type { Io } from './io.ts'

/** A change of the user's own configuration file, before it is written. */
export interface UserConfigChange {
  path: string
  before: string | undefined
  after: string
}

const HEADER = '# Settings of Baton; every key: baton config\n'

/** The user's own file with these keys set; comments and everything else stay as they are. */
export function changeUserConfig(
  io: Pick<Io, 'home'>,
  values: readonly (readonly [key: string, value: unknown])[],
): UserConfigChange {
  const path = join(io.home, CONFIG_NAMES[0])
  const before = textOf(path)
  const document = parseDocument(before ?? HEADER)
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents)))
    throw new BatonError('config_invalid', `${path} is not a valid settings file`, {
      remedy: 'Run `baton config`, fix the file, and try again.',
    })
  for (const [key, value] of values) document.setIn(key.split('.'), value)
  // A document that holds nothing but a comment would print `null` below it.
  return { path, before, after: values.length === 0 ? (before ?? HEADER) : String(document) }
}

/** Private: it may hold a token. */
export function writeUserConfig({ path, before, after }: UserConfigChange): void {
  if (textOf(path) !== before)
    throw new BatonError('settings_changed', `${path} was changed by another program just now`, {
      remedy: 'Run the command again.',
    })
  if (before !== after) replaceFile(path, after, 0o600)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new BatonError('config_unreadable', `${path} cannot be read`, {
      cause,
      remedy: 'Make it a file that you may read.',
    })
  }
}
