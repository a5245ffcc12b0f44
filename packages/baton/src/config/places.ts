import { join, resolve } from 'node:path'

/** The environment variables of a process, as `process.env` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Where Baton keeps its state. No zod or yaml here: the hook client asks this on the hot path.
 * A relative BATON_HOME counts from the home folder: counted from the working folder, every project would get its own daemon.
 */
export function stateDir(env: Environment, home: string): string {
  const chosen = batonHome(env, home)
  if (chosen !== undefined) return chosen
  const xdg = env.XDG_STATE_HOME
  // The XDG specification says to ignore a relative path.
  return xdg?.startsWith('/') ? join(xdg, 'baton') : join(home, '.local', 'state', 'baton')
}

/** The folder a person chose for Baton; AGENTIZE_HOME stands in for BATON_HOME. */
export function batonHome(env: Environment, home: string): string | undefined {
  const chosen = env.BATON_HOME || env.AGENTIZE_HOME
  return chosen ? resolve(home, chosen) : undefined
}

/** The names a configuration file may have at each place; the second is read only where the first is absent. */
export const CONFIG_NAMES = ['.baton.yaml', '.agentize.local.yaml'] as const

/** The folders searched for a configuration file, nearest first, each once. */
export function configFolders(places: {
  project?: string | undefined
  env: Environment
  home: string
}): string[] {
  const folders = [places.project, ...ownFolders(places)].filter(folder => folder !== undefined)
  return [...new Set(folders.map(folder => resolve(folder)))]
}

/** The folders whose configuration is the user's own. */
export const ownFolders = ({ env, home }: { env: Environment; home: string }): string[] =>
  [batonHome(env, home), home].filter(folder => folder !== undefined)

/** Where `baton trust` keeps what it pinned. */
export const trustFile = (stateDir: string): string => join(stateDir, 'trust.json')

/** Every file that can change the effective configuration, whether it exists or not. */
export const watchedFiles = (
  places: Parameters<typeof configFolders>[0] & { stateDir: string },
): string[] => [
  ...configFolders(places).flatMap(folder => CONFIG_NAMES.map(name => join(folder, name))),
  trustFile(places.stateDir),
]
