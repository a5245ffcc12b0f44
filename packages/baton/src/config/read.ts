import { isAbsolute, join, relative } from 'node:path'
import { FileError, type Files, type FileTrouble } from '../ports/files.ts'
import { takeAgentizeKeys } from './agentize-keys.ts'
import { checkConfig } from './check.ts'
import type { MapNode } from './node.ts'
import { MAX_BYTES, parseConfig } from './parse.ts'
import { CONFIG_NAMES } from './places.ts'
import { byPosition, type ConfigNotice, type ConfigProblem } from './problem.ts'
import { hashOf, isPrivate, type Pins } from './trust.ts'

export interface ConfigFile {
  path: string
  /** `own`: the user's file. `trusted`, `untrusted`: a project's file. `refused`: Baton ignores it; see the problems. */
  standing: 'own' | 'trusted' | 'untrusted' | 'refused'
}

/** A configuration file with its content and problems. */
export interface ReadConfig extends ConfigFile {
  node?: MapNode
  problems: ConfigProblem[]
  notices?: ConfigNotice[]
}

/** Reads the configuration file of a folder, if it has one. Reads the bytes once, so that it parses what it hashed. */
export async function readPlace(
  place: { folder: string; own: boolean },
  pins: Pins,
  files: Files,
): Promise<ReadConfig | undefined> {
  let path = join(place.folder, CONFIG_NAMES[0])
  try {
    const taken = await configFileIn(place.folder, files)
    if (taken === undefined) return undefined
    path = taken
    const real = place.own ? path : await realFile(path, place.folder, files)
    if (real === undefined) return refused(path, outside(path))
    const { bytes, facts } = await files.read(real, MAX_BYTES)
    if (place.own && !isPrivate(facts, files.user))
      return refused(path, notPrivate(path, facts.owner, files.user))
    const standing = place.own ? 'own' : pins.get(real) === hashOf(bytes) ? 'trusted' : 'untrusted'
    return { path, standing, ...readConfig(bytes, path) }
  } catch (error) {
    if (error instanceof FileError) return refused(path, unreadable(path, error.trouble))
    throw error
  }
}

/** The path of the folder's configuration file. */
export async function configFileIn(folder: string, files: Files): Promise<string | undefined> {
  for (const name of CONFIG_NAMES) {
    const path = join(folder, name)
    if (await files.taken(path)) return path
  }
  return undefined
}

/** Parses and checks a file's bytes. */
export function readConfig(
  bytes: Uint8Array,
  path: string,
): Pick<ReadConfig, 'node' | 'problems' | 'notices'> {
  const parsed = parseConfig(bytes, path)
  if (!parsed.node) return parsed
  const { node, notices } = takeAgentizeKeys(parsed.node, path)
  const checked = checkConfig(node, path)
  return { node: checked.node, problems: [...parsed.problems, ...checked.problems].sort(byPosition), notices }
}

/** The real path of a project's file; undefined outside the project, because a link could point to any of the user's files. */
export async function realFile(path: string, project: string, files: Files): Promise<string | undefined> {
  const [real, root] = [await files.realPath(path), await files.realPath(project)]
  const inside = relative(root, real)
  return inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? undefined : real
}

const refused = (path: string, problem: ConfigProblem): ReadConfig => ({
  path,
  standing: 'refused',
  problems: [problem],
})

const start = { line: 1, column: 1 }

/** The problem of a project's file that lies outside the project. */
export const outside = (file: string): ConfigProblem => ({
  code: 'config_outside_project',
  file,
  ...start,
  message: 'the file is a link to a place outside the project',
  remedy: 'Replace it with a regular file.',
})

function notPrivate(file: string, owner: number, user: number): ConfigProblem {
  const [message, remedy] =
    owner !== user && owner !== 0
      ? ['the file belongs to another user, so Baton ignores it', 'Change its owner to you (chown).']
      : ['other users can write this file, so Baton ignores it', `Run \`chmod go-w ${file}\`.`]
  return { code: 'config_untrusted', file, ...start, message, remedy }
}

/** The problem of a file that cannot be read. */
export function unreadable(file: string, trouble: FileTrouble): ConfigProblem {
  const [message, remedy] = words[trouble]
  return { code: 'config_unreadable', file, ...start, message, remedy }
}
const words: Record<FileTrouble, [message: string, remedy: string]> = {
  absent: ['the file is a dangling link', 'Remove or fix the link.'],
  denied: ['no permission to read the file', 'Make it readable (chmod u+r).'],
  'not-a-file': ['expected a file, found a folder or something else', 'Replace it with a regular file.'],
  'too-large': [
    `the file is larger than ${MAX_BYTES / 1e6} MB`,
    'Remove everything that is not configuration.',
  ],
  'link-loop': ['the file is a link that points to itself', 'Remove or fix the link.'],
  busy: ['the file is locked', 'Try again.'],
  failed: ['the file cannot be read', 'Check the disk and the file.'],
}
