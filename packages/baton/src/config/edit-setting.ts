import type { SettingChange, SettingForm } from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import { showSize } from '@batonpass/contract/setting'
import { type Document, isCollection, isMap, isNode, isScalar, type Node, parseDocument } from 'yaml'
import { z } from 'zod'
import type { Files } from '../ports/files.ts'
import { type ConfigKey, configKeys } from './keys.ts'
import { sourcesOf } from './node.ts'
import { problemLine } from './problem.ts'
import { readConfig } from './read.ts'
import { editUserFile, settingsDocument } from './user-file.ts'

/** Changes one key in the user's own file, never in a project's. Returns where it is now; no line if it was removed. */
export async function editSetting(
  home: string,
  change: SettingChange,
  files: Files,
): Promise<{ file: string; line?: number }> {
  let line: number | undefined
  const file = await editUserFile(home, files, text => {
    const after = withSetting(text, change)
    line = lineOf(after, change.key)
    return after
  })
  return { file, ...(line === undefined ? {} : { line }) }
}

/** The text of a settings file with one key changed or removed. Comments and all other keys stay, or this throws. */
export function withSetting(text: string, change: SettingChange): string {
  const key = configKeys().find(({ name }) => name === change.key)
  if (!key) throw new BatonError('usage', `Baton does not have a setting ${JSON.stringify(change.key)}`)
  const document = settingsDocument(text)
  const before = othersOf(text, key)
  if (change.value === undefined && change.yaml === undefined) remove(document, key.path)
  else if (change.yaml !== undefined)
    document.setIn(key.path, nodeIn(change.yaml, document.getIn(key.path, true)))
  else document.setIn(key.path, change.value)
  const after = document.toString({ lineWidth: 0 })
  const { problems } = readText(after)
  if (problems.length > 0) throw new BatonError('config_invalid', problems.map(problemLine).join('\n'))
  if (othersOf(after, key) !== before)
    throw new BatonError('config_invalid', 'Another setting depends on this one (a YAML alias)', {
      remedy: 'Edit the file.',
    })
  return after
}

/** How a page lets a person edit a key, from its schema and from what the user's own file says about it. */
export function settingForm(key: ConfigKey, text: string, effective: unknown): SettingForm {
  const kind = kindOf(key)
  const node = nodeOf(text, key.path)
  const isSet = node !== undefined
  if (key.facts.secret) return { kind: 'secret', isSet }
  const form = { ...kind, isSet }
  if (kind.kind === 'flag') return { ...form, value: String(effective === true) }
  if (kind.kind === 'yaml') return { ...form, value: node ? sourceOf(text, node) : '' }
  if (isScalar(node) && node.value !== null && typeof node.value !== 'object')
    return { ...form, value: String(node.value) }
  if (effective === undefined || effective === null) return { ...form, value: '' }
  const isBytes = key.facts.unit === 'bytes' && typeof effective === 'number'
  return { ...form, value: isBytes ? showSize(effective) : String(effective) }
}

type Kind = Pick<SettingForm, 'kind' | 'choices' | 'min' | 'max'>

/** Which control suits the key. What is neither a word, a number nor a flag is edited as YAML. */
function kindOf({ schema }: ConfigKey): Kind {
  const json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
  const types = json.anyOf?.map(({ type }) => type) ?? [json.type]
  if (types.includes('boolean')) return { kind: 'flag' }
  if (json.enum?.every(each => typeof each === 'string')) return { kind: 'choice', choices: json.enum }
  if (types.length === 1 && (json.type === 'integer' || json.type === 'number')) {
    const inRange = (value: number | undefined) =>
      value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
    return {
      kind: 'number',
      ...(inRange(json.minimum) ? { min: json.minimum } : {}),
      ...(inRange(json.maximum) ? { max: json.maximum } : {}),
    }
  }
  return { kind: types.every(type => TEXT_TYPES.includes(type ?? '')) ? 'text' : 'yaml' }
}

interface JsonSchema {
  type?: string
  enum?: string[]
  anyOf?: { type?: string }[]
  minimum?: number
  maximum?: number
}
const TEXT_TYPES = ['string', 'integer', 'number']

/** The node of what a person typed, with the comments around it and, if it has none, those of the old value. */
function nodeIn(yaml: string, old: unknown): Node {
  const part = parseDocument(yaml)
  const error = part.errors[0] ?? failureOf(() => part.toJS())
  if (error) throw new BatonError('config_invalid', `Not valid YAML: ${error.message.split('\n', 1)[0]}`)
  const node = part.contents
  if (!isNode(node)) throw new BatonError('config_invalid', 'Write a value, or remove the setting')
  const before = part.commentBefore ?? node.commentBefore ?? (isNode(old) ? old.commentBefore : undefined)
  const after = node.comment ?? part.comment
  if (before) node.commentBefore = before
  if (after) node.comment = after
  return node
}

/** An alias without its anchor is found only when it is resolved. */
function failureOf(resolve: () => unknown): Error | undefined {
  try {
    resolve()
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}

/** Removes a key, and the sections around it that are empty then and have no comment. */
function remove(document: Document.Parsed, path: readonly string[]): void {
  if (document.getIn(path, true) === undefined) return
  const [first, next] = isMap(document.contents) ? [...document.contents.items] : []
  const header = isNode(first?.key) ? first.key.commentBefore : undefined
  document.deleteIn(path)
  for (let depth = path.length - 1; depth > 0; depth--) {
    const section = document.getIn(path.slice(0, depth), true)
    if (!isMap(section) || section.items.length > 0 || section.comment || section.commentBefore) return
    document.deleteIn(path.slice(0, depth))
  }
  // What is at the top of the file is about the file, not about its first section.
  const isGone = isMap(document.contents) && document.contents.items[0] === next
  if (!header || !isGone) return
  if (isNode(next?.key)) next.key.commentBefore = [header, next.key.commentBefore].filter(Boolean).join('\n')
  else document.commentBefore = [document.commentBefore, header].filter(Boolean).join('\n')
}

const readText = (text: string) => readConfig(new TextEncoder().encode(text), 'your settings file')

/** Everything that the text sets besides one key, to compare. */
const othersOf = (text: string, { path }: ConfigKey): string =>
  JSON.stringify(without(parseDocument(text).toJS({ maxAliasCount: 100 }) ?? {}, path))

/** The values without one key, and without the sections that are empty then. */
function without(value: unknown, [step = '', ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { [step]: below, ...others } = value as Record<string, unknown>
  const left = rest.length === 0 ? undefined : without(below ?? {}, rest)
  const isEmpty =
    left === undefined || (typeof left === 'object' && left !== null && Object.keys(left).length === 0)
  return isEmpty ? others : { ...others, [step]: left }
}

function lineOf(text: string, key: string): number | undefined {
  const { node } = readText(text)
  if (!node) return undefined
  const found = [...sourcesOf(node)].find(
    ([name]) => name === key || name.startsWith(`${key}.`) || name.startsWith(`${key}[`),
  )
  return found?.[1].kind === 'file' ? found[1].line : undefined
}

function nodeOf(text: string, path: readonly string[]): Node | undefined {
  const node = parseDocument(text).getIn(path, true)
  return isNode(node) ? node : undefined
}

/** A value as it is written, comments included, moved to the left margin. */
function sourceOf(text: string, node: Node): string {
  const [start, end] = node.range ?? [0, 0]
  const column = start - (text.lastIndexOf('\n', start - 1) + 1)
  const isBlock = isCollection(node) && !node.flow
  const margin = isBlock ? ' '.repeat(column) : ''
  return `${margin}${text.slice(start, end)}`
    .split('\n')
    .map(line => (margin && line.startsWith(margin) ? line.slice(column) : line))
    .join('\n')
    .trimEnd()
}
