import { Config } from '@batonpass/contract/config'
import type { SettingFacts } from '@batonpass/contract/setting'
import type { z } from 'zod'
import { factsAt, holdsValues, keysAt, nearestKey, nearestWord } from './keys.ts'
import {
  type ConfigNode,
  keyName,
  type MapNode,
  nodeAt,
  type Path,
  plainValue,
  type Source,
  withoutPaths,
} from './node.ts'
import { quote } from './parse.ts'
import type { ConfigProblem } from './problem.ts'

/** Checks one file's nodes against the schema: one problem for each wrong key or value, and the nodes without those. */
export function checkConfig(written: MapNode, file: string): { node: MapNode; problems: ConfigProblem[] } {
  const node = withoutPaths(written, (path, at) => isEmpty(at) && holdsValues(path))
  const parsed = Config.safeParse(plainValue(node))
  if (parsed.success) return { node, problems: [] }
  const problems = new Map<string, ConfigProblem>()
  for (const issue of parsed.error.issues)
    for (const { at, problem } of problemsOf(issue, node, file))
      if (!problems.has(keyName(at))) problems.set(keyName(at), problem)
  return {
    node: withoutPaths(node, path => problems.has(keyName(path))),
    problems: [...problems.values()],
  }
}

type Found = { at: Path; problem: ConfigProblem }

function problemsOf(issue: z.core.$ZodIssue, root: MapNode, file: string): Found[] {
  const path = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey([...path, key], root, file))
  if (issue.code === 'invalid_key') return [wrongKey(path, root, file)]
  return [wrongValue(path, root, file)]
}

function unknownKey(path: Path, root: MapNode, file: string): Found {
  const meant = nearestKey(path)
  const allowed = keysAt(path.slice(0, -1))
  const remedy = meant ? `Did you mean ${meant}?` : `Expected one of ${allowed.join(', ')}.`
  const problem = {
    ...place(nodeAt(root, path).key, file),
    key: keyName(path),
    message: `unknown key ${nameOf(path)}`,
    remedy,
  }
  return { at: path, problem }
}

function wrongKey(path: Path, root: MapNode, file: string): Found {
  const facts = factsAt(path.slice(0, -1))?.facts
  const message = `${nameOf(path)}: the name does not fit; expected ${facts?.expects ?? 'another name'}`
  return { at: path, problem: { ...place(nodeAt(root, path).key, file), key: keyName(path), message } }
}

function wrongValue(path: Path, root: MapNode, file: string): Found {
  const known = factsAt(path)
  const at = known ? path.slice(0, known.depth) : path
  const { node } = nodeAt(root, path)
  const expects = known?.facts.expects ?? sectionWords(at)
  const message = `${nameOf(at)}: expected ${expects}, found ${found(node, known?.facts)}`
  const remedy = meantValue(nodeAt(root, at).node, known?.facts)
  return {
    at,
    problem: { ...place(node.source, file), key: keyName(at), message, ...(remedy ? { remedy } : {}) },
  }
}

const sectionWords = (path: Path): string => `keys under it, such as ${keysAt(path).slice(0, 3).join(', ')}`

// Text is never quoted: a token put on the wrong line would be shown.
function found(node: ConfigNode, facts: SettingFacts | undefined): string {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'a list' : 'a map'
  if (node.value === null) return 'nothing'
  if (typeof node.value === 'string') return node.value === '' ? 'empty text' : 'other text'
  return facts?.secret ? 'no text' : String(node.value)
}

function meantValue(node: ConfigNode, facts: SettingFacts | undefined): string | undefined {
  const choices = facts?.expects.startsWith('one of ')
    ? facts.expects.slice('one of '.length).split(', ')
    : []
  const meant =
    node.kind === 'scalar' && typeof node.value === 'string' ? nearestWord(node.value, choices) : undefined
  return meant ? `Did you mean ${meant}?` : undefined
}

const nameOf = (path: Path): string => {
  const name = keyName(path)
  return name.length > 120 ? quote(String(path.at(-1))) : name
}

function place(source: Source, file: string): Pick<ConfigProblem, 'code' | 'file' | 'line' | 'column'> {
  const at = source.kind === 'file' ? { line: source.line, column: source.column } : {}
  return { code: 'config_invalid', file, ...at }
}

const isEmpty = (node: ConfigNode): boolean => node.kind === 'scalar' && node.value === null
