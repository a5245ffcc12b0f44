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

/** Checks a file's nodes against the schema. Returns one problem per wrong key or value, and the nodes without them. */
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
  const found = ruleProblem(issue, path, root, file)
  if (found) return [found]
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey([...path, key], root, file))
  if (issue.code === 'invalid_key') return [wrongKey(path, root, file)]
  return [wrongValue(path, root, file)]
}

/**
 * What is wrong inside one item of a list that takes several forms, such as a rule. The item goes as a whole: a rule
 * without the key that narrowed it would say something else.
 */
function ruleProblem(issue: z.core.$ZodIssue, path: Path, root: MapNode, file: string): Found | undefined {
  const known = factsAt(path)
  const at = path.slice(0, known?.depth)
  if (typeof at.at(-1) !== 'number') return undefined
  const [inner] = issue.code === 'invalid_union' ? nearestForm(issue) : [issue]
  if (!inner) return undefined
  const rest = (issue.code === 'invalid_union' ? inner.path : path.slice(at.length)).map(String)
  if (inner.code === 'unrecognized_keys') {
    const [key = ''] = inner.keys
    const { problem } = unknownKey([...at, ...rest, key], root, file)
    return { at, problem }
  }
  if (inner.code !== 'custom') return undefined
  const problem = {
    ...place(nodeAt(root, [...at, ...rest]).node.source, file),
    key: keyName(at),
    message: `${nameOf(at)}: ${inner.message}`,
    remedy: 'See docs/guides/permission.md for the forms of a rule.',
  }
  return { at, problem }
}

/** The form that was most likely meant: the right type with the fewest problems. */
function nearestForm(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] {
  const wrongs = (form: readonly z.core.$ZodIssue[]) =>
    form.reduce((sum, one) => sum + (one.code === 'unrecognized_keys' ? one.keys.length : 1), 0)
  return (
    issue.errors
      .filter(form => !form.some(one => one.code === 'invalid_type' && one.path.length === 0))
      .sort((a, b) => wrongs(a) - wrongs(b))[0] ?? []
  )
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
  const message = `${nameOf(path)}: invalid name; expected ${facts?.expects ?? 'another name'}`
  return { at: path, problem: { ...place(nodeAt(root, path).key, file), key: keyName(path), message } }
}

function wrongValue(path: Path, root: MapNode, file: string): Found {
  const known = factsAt(path)
  const at = known ? path.slice(0, known.depth) : path
  const { node } = nodeAt(root, path)
  const expects = known?.facts.expects ?? sectionWords(at)
  const message = `${nameOf(at)}: expected ${expects}, found ${describeFound(node, known?.facts)}`
  const remedy = meantValue(nodeAt(root, at).node, known?.facts)
  return {
    at,
    problem: { ...place(node.source, file), key: keyName(at), message, ...(remedy ? { remedy } : {}) },
  }
}

const sectionWords = (path: Path): string => `keys under it, such as ${keysAt(path).slice(0, 3).join(', ')}`

// Never quote text: a token on the wrong line would be shown.
function describeFound(node: ConfigNode, facts: SettingFacts | undefined): string {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'a list' : 'a map'
  if (node.value === null) return 'nothing'
  if (typeof node.value === 'string') return node.value === '' ? 'empty text' : 'other text'
  return facts?.secret ? 'a value that is not text' : String(node.value)
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
