import { join, resolve } from 'node:path'

/** The environment variables of a process, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The state folder. This file must not import zod or yaml: the hook client loads it on every call.
 * A relative BATON_HOME is resolved against the home folder. Against the working folder, every project would get its own daemon.
 */
export function stateDir(env: Environment, home: string): string {
  const chosen = batonHome(env, home)
  if (chosen !== undefined) return chosen
  const xdg = env.XDG_STATE_HOME
  // The XDG specification says to ignore a relative path.
  return xdg?.startsWith('/') ? join(xdg, 'baton') : join(home, '.local', 'state', 'baton')
}

/** The folder that the user chose for Baton: BATON_HOME, otherwise AGENTIZE_HOME. */
export function batonHome(env: Environment, home: string): string | undefined {
  const chosen = env.BATON_HOME || env.AGENTIZE_HOME
  return chosen ? resolve(home, chosen) : undefined
}

/** The names of a configuration file. Baton reads the second only if the first is absent. */
export const CONFIG_NAMES = ['.baton.yaml', '.agentize.local.yaml'] as const

/** The folders to search for a configuration file, nearest first, without duplicates. */
export function configFolders(places: {
  project?: string | undefined
  env: Environment
  home: string
}): string[] {
  const folders = [places.project, ...ownFolders(places)].filter(folder => folder !== undefined)
  return [...new Set(folders.map(folder => resolve(folder)))]
}

/** The folders with the user's own configuration. */
export const ownFolders = ({ env, home }: { env: Environment; home: string }): string[] =>
  [batonHome(env, home), home].filter(folder => folder !== undefined)

/** The file in which `baton trust` stores trusted files. */
export const trustFile = (stateDir: string): string => join(stateDir, 'trust.json')

/** Every file that can change the effective configuration, whether it exists or not. */
export const watchedFiles = (
  places: Parameters<typeof configFolders>[0] & { stateDir: string },
): string[] => [
  ...configFolders(places).flatMap(folder => CONFIG_NAMES.map(name => join(folder, name))),
  trustFile(places.stateDir),
]
