import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type Document, isMap, isSeq, type ParsedNode, parseDocument } from 'yaml'
import { FileError, type Files } from '../ports/files.ts'
import { CONFIG_NAMES } from './places.ts'
import { isPrivate } from './trust.ts'

const HEADER = '# Settings of Baton; every key: baton config\n'
const MOST_BYTES = 1_000_000

/** Changes the user's own settings file; returns its path. A link to it stays a link. */
export async function editUserFile(
  home: string,
  files: Files,
  edit: (text: string) => string,
): Promise<string> {
  const path = await userFile(home, files)
  await files.exclusively(path, async () => {
    const before = await readText(path, files)
    const facts = await files.facts(path)
    // Rewriting the file would make what another user wrote into it the user's own settings.
    if (facts && !isPrivate(facts, files.user))
      throw new BatonError(
        'config_untrusted',
        `Other users can write ${path}, so Baton ignores it and does not change it`,
        { remedy: `Run \`chmod go-w ${path}\`.` },
      )
    const after = edit(before ?? HEADER)
    if (after !== before) await files.replace(path, after, 0o600)
  })
  return path
}

/** Parses a settings file for a change that keeps comments. Throws if the file cannot be understood. */
export function settingsDocument(text: string): Document.Parsed<ParsedNode> {
  const document = parseDocument(text)
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents)))
    throw new BatonError('config_invalid', 'Your settings file is not valid, so nothing was added to it', {
      remedy: 'Run `baton config`.',
    })
  return document
}

/** Adds a value to a list of a project's entry in `SECTION.projects`, unless it is there. */
export function addToProject(
  document: Document.Parsed<ParsedNode>,
  section: string,
  project: string,
  key: string,
  value: unknown,
  comment?: string,
): void {
  const at = [section, 'projects']
  dropEmptySections(document, at)
  const projects = document.getIn(at)
  if (projects !== undefined && projects !== null && !isSeq(projects)) throw notAList(at)
  const index = isSeq(projects)
    ? projects.items.findIndex(item => isMap(item) && item.get('project') === project)
    : -1
  if (index !== -1) {
    addToList(document, [...at, index, key], value, comment)
    return
  }
  const made = document.createNode({ project, [key]: [] })
  if (isSeq(projects)) projects.add(made)
  else document.setIn(at, document.createNode([made]))
  const last = document.getIn(at)
  addToList(document, [...at, isSeq(last) ? last.items.length - 1 : 0, key], value, comment)
}

/** Adds a value to a list, unless it is in it. */
export function addToList(
  document: Document.Parsed<ParsedNode>,
  path: readonly (string | number)[],
  value: unknown,
  comment?: string,
): void {
  dropEmptySections(document, path)
  const list = document.getIn(path)
  if (list !== undefined && list !== null && !isSeq(list)) throw notAList(path)
  const isThere = (item: unknown) => JSON.stringify(item) === JSON.stringify(value)
  if (isSeq(list) && list.toJSON().some(isThere)) return
  const node = document.createNode(value, { flow: typeof value === 'object' })
  if (comment) node.comment = ` ${comment}`
  if (isSeq(list)) {
    // An empty list is written as [], which has no room for a comment.
    if (list.items.length === 0) list.flow = false
    list.add(node)
  } else document.setIn(path, document.createNode([node]))
}

/** A section without anything in it (`permissions:`) has no room for a list. */
function dropEmptySections(document: Document.Parsed<ParsedNode>, path: readonly (string | number)[]): void {
  for (let length = 1; length < path.length; length++) {
    const section = path.slice(0, length)
    if (document.getIn(section) === null) document.deleteIn(section)
  }
}

const notAList = (path: readonly (string | number)[]): BatonError =>
  new BatonError('config_invalid', `${path.join('.')} in your settings is not a list, so nothing was added`, {
    remedy: 'Make it a list: `baton config` shows the file and the line.',
  })

/** As people write a path below their home. */
export const tilde = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** The text of the user's own settings file; empty if there is none. */
export const readUserFile = async (home: string, files: Files): Promise<string> =>
  (await readText(await userFile(home, files), files)) ?? ''

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
