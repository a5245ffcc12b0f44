import { posix } from 'node:path'
import { isInside } from './resolve.ts'

/** What belongs to Baton and to the agents' hooks: no rule opens it to an agent. */
export interface Guarded {
  /** Baton's own folders: state, token, socket, launcher. Reading is closed too. */
  readonly folders: readonly string[]
  /** Ports on this machine on which the daemon listens. */
  readonly ports: readonly number[]
  readonly pids: readonly number[]
}

export function guardedDefaults(home: string): Guarded {
  return { folders: [posix.join(home, '.baton')], ports: [], pids: [] }
}

/** Files anywhere that configure Baton or the hooks through which it is asked. */
const SETTINGS: readonly RegExp[] = [
  /(^|\/)\.baton\.ya?ml$/,
  /(^|\/)\.agentize\.local\.ya?ml$/,
  /(^|\/)\.claude\/settings[^/]*\.json$/,
  /(^|\/)\.claude\/hooks(\/|$)/,
  /(^|\/)\.claude\/plugins(\/|$)/,
  /(^|\/)\.cursor\/hooks\.json$/,
  /(^|\/)\.cursor\/hooks(\/|$)/,
  /(^|\/)\.codex\/(config\.toml|hooks[^/]*)$/,
  /(^|\/)\.gemini\/settings\.json$/,
  /(^|\/)\.git\/(hooks|config|info)(\/|$)/,
]

const OWN_FOLDER = /(^|\/)\.claude$|(^|\/)\.cursor$/

export type Access = 'read' | 'write'

/** Why this access is closed for good, or undefined. */
export function guardedPath(
  path: string,
  access: Access,
  guarded: Guarded,
  gitInternals = true,
): string | undefined {
  for (const folder of guarded.folders) if (isInside(path, folder)) return `Baton's own folder ${folder}`
  if (access === 'read') return undefined
  for (const pattern of SETTINGS) {
    if (!pattern.test(path)) continue
    if (!gitInternals && /\/\.git\//.test(path)) continue
    return `a file that decides what agents may do (${posix.basename(path)})`
  }
  return undefined
}

/** Removing or moving a folder takes the guarded files in it along. */
export function guardedFolder(path: string, guarded: Guarded): string | undefined {
  if (OWN_FOLDER.test(path)) return 'the folder of an agent’s hook settings'
  for (const folder of guarded.folders) if (isInside(folder, path)) return `a folder that holds ${folder}`
  return undefined
}
