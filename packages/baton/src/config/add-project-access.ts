import { join } from 'node:path'
import { isMap, isSeq, parseDocument } from 'yaml'
import { FileError, type Files } from '../ports/files.ts'
import { CONFIG_NAMES } from './places.ts'

/** What is added, by the key of an entry of `sandbox.projects`. */
export type ProjectAccessEntry =
  | { key: 'hosts' | 'readable'; value: string }
  | { key: 'ports'; value: number }

const MOST_BYTES = 1_000_000

/** Adds something to `sandbox.projects` in the user's own file; comments and everything else stay as they are. */
export async function addProjectAccess(
  home: string,
  project: string,
  entry: ProjectAccessEntry,
  files: Files,
): Promise<void> {
  const path = await userFile(home, files)
  await files.exclusively(path, async () => {
    const before = await readText(path, files)
    const after = withProjectAccess(before ?? HEADER, tilde(project, home), entry)
    if (after !== before) await files.replace(path, after, 0o600)
  })
}

const HEADER = '# Settings of Baton; every key: baton config\n'

/** The text of a settings file with the entry added. Throws if the file cannot be understood. */
export function withProjectAccess(text: string, project: string, { key, value }: ProjectAccessEntry): string {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents)))
    throw new Error('Your settings file is not valid, so nothing was added to it. Run `baton config`.')
  const projects = document.getIn(['sandbox', 'projects'])
  const at = isSeq(projects)
    ? projects.items.findIndex(item => isMap(item) && item.get('project') === project)
    : -1
  if (projects !== undefined && !isSeq(projects))
    throw new Error('sandbox.projects in your settings is not a list, so nothing was added to it.')
  if (at === -1) {
    const made = document.createNode({ project, [key]: [value] })
    if (isSeq(projects)) projects.add(made)
    else document.setIn(['sandbox', 'projects'], document.createNode([made]))
    return String(document)
  }
  const list = document.getIn(['sandbox', 'projects', at, key])
  if (isSeq(list)) {
    if (list.toJSON().includes(value)) return text
    list.add(document.createNode(value))
  } else document.setIn(['sandbox', 'projects', at, key], document.createNode([value]))
  return String(document)
}

/** The file that counts; a link to it stays a link. */
async function userFile(home: string, files: Files): Promise<string> {
  const found = await Promise.all(
    CONFIG_NAMES.map(async name => {
      const path = join(home, name)
      return (await files.facts(path)) ? files.realPath(path) : undefined
    }),
  )
  return found.find(path => path !== undefined) ?? join(home, CONFIG_NAMES[0])
}

async function readText(path: string, files: Files): Promise<string | undefined> {
  try {
    return new TextDecoder().decode((await files.read(path, MOST_BYTES)).bytes)
  } catch (error) {
    if (error instanceof FileError && error.trouble === 'absent') return undefined
    throw error
  }
}

/** As people write a path below their home. */
const tilde = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
