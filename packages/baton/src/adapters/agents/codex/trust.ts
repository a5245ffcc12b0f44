import { join } from 'node:path'
import type { Agent, InstallTarget } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { hooks } from './hooks.ts'

/** Codex notes in its config.toml which hooks a person has let run; others it silently leaves out. */
export const untrustedHooks: NonNullable<Agent['obstacles']> = (place, read) => {
  const config = read(join(codexFolder(place), 'config.toml')) ?? ''
  const file = join(codexFolder(place), 'hooks.json')
  const untrusted = hooks.filter(({ event }) => !config.includes(`${file}:${snake(event)}:`))
  if (untrusted.length === 0) return []
  return [
    {
      what: `${untrusted.length} of its ${hooks.length} hooks do not run: you have not trusted them yet`,
      fix: 'Start `codex` once in a terminal and choose "Trust all and continue" (or /hooks, then t)',
    },
  ]
}

export const codexFolder = (place: Pick<InstallTarget, 'home' | 'env'>): string =>
  ownFolder(place, 'CODEX_HOME', '.codex')

const snake = (event: string): string => event.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
