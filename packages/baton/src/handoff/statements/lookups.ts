import type { HandoffDocument } from '@batonpass/contract/handoff'
import { anchorGroupsOf } from './anchors.ts'
import { codesIn, fileIn } from './objects.ts'
import { isClaim, readLines } from './read-statements.ts'

/** What to look for while the evidence is gathered: on disk, in git, and in the transcript. */
export interface Lookups {
  paths: readonly string[]
  commits: readonly string[]
  /** Words that a command, its output or the user may mention. */
  words: readonly string[]
  /** Groups of words that the output of one command may hold. */
  together: readonly (readonly string[])[]
}

const MOST = 500
const MAX_COMMITS = 40
const MAX_GROUPS = 200

/** What evidence a document's statements need. */
export function lookupsOf(document: HandoffDocument): Lookups {
  const [paths, commits, words] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const together: string[][] = []
  for (const { line, statements } of readLines(document)) {
    if (isClaim(line) && together.length < MAX_GROUPS) together.push(...anchorGroupsOf(line))
    for (const { stated } of statements)
      switch (stated.about) {
        case 'path':
          paths.add(stated.path)
          words.add(stated.path)
          break
        case 'commit':
          commits.add(stated.id)
          words.add(stated.id)
          break
        case 'branch':
          words.add(stated.name)
          break
        case 'port':
          words.add(stated.port)
          break
        case 'command':
          words.add(stated.command)
          break
        default:
      }
  }
  for (const { text, done } of document.completed)
    for (const code of done ? codesIn(text) : []) {
      const path = fileIn(code.text)
      if (path !== undefined) paths.add(path)
    }
  return {
    paths: [...paths].slice(0, MOST),
    commits: [...commits].slice(0, MAX_COMMITS),
    words: [...words].slice(0, MOST),
    together,
  }
}
