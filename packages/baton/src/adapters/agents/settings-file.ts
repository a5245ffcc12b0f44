import { BatonError } from '@batonpass/contract/errors'
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { cameAlong, insertChildren, removeChild } from './jsonc-text.ts'

/** An agent's settings file; `text` is undefined when there is none. */
export interface SettingsFile {
  path: string
  text: string | undefined
}

/** How an agent's settings hold hooks: `{"hooks": {EVENT: [ENTRY, …]}}`. */
export interface HookLayout {
  /** `groups`: an entry is `{matcher, hooks: [HANDLER, …]}`. `flat`: an entry is a handler. */
  entries: 'groups' | 'flat'
  /** Whether Baton wrote this handler. */
  ours(event: string, handler: unknown): boolean
  /** A key that the file needs in addition to `hooks`. */
  beside?: { key: string; value: unknown }
}

/** The file's text with exactly these hooks of ours, one entry for each event. Nothing else in it changes. */
export function withHooks(
  file: SettingsFile,
  layout: HookLayout,
  wanted: ReadonlyMap<string, unknown>,
): string {
  if (file.text !== undefined && same(ourEntries(file, layout), wanted)) return file.text
  const bare = withoutHooks(file, layout)
  if (bare === undefined || blank(bare)) return newFile(bare, layout, wanted)

  let text = bare
  for (const [event, entry] of wanted) {
    const list = eventList({ path: file.path, text }, event)
    if (list) text = insertChildren(text, list, [render(entry, text, 3)], spacing(text, 3))
  }
  const missing = [...wanted].filter(([event]) => !eventList({ path: file.path, text }, event))
  if (missing.length === 0) return text

  const { root, hooks } = parse({ path: file.path, text })
  if (hooks) {
    const properties = missing.map(([event, entry]) => property(event, [entry], text, 2))
    return insertChildren(text, hooks, properties, spacing(text, 2))
  }
  return insertHooks(text, root, layout, missing)
}

/** The file's text without our hooks; undefined when nothing else was in it. */
export function withoutHooks(file: SettingsFile, layout: HookLayout): string | undefined {
  let text = file.text
  while (text !== undefined && !blank(text)) {
    const ours = ourNodes({ path: file.path, text }, layout).at(-1)
    if (!ours) return text
    text = removeEntry(text, ours.node, layout)
  }
  return text
}

/** Our entries, by event, as they are in the file. More than one for an event: a list of them. */
export function ourEntries(file: SettingsFile, layout: HookLayout): Map<string, unknown> {
  const found = new Map<string, unknown>()
  if (file.text === undefined || blank(file.text)) return found
  for (const { event, node } of ourNodes(file, layout)) {
    const value: unknown = getNodeValue(node)
    found.set(event, found.has(event) ? [found.get(event), value] : value)
  }
  return found
}

/** The lists, entries and handlers that are wholly ours, in the file's order. */
function ourNodes(file: SettingsFile, layout: HookLayout): { event: string; node: Node }[] {
  const { hooks } = parse(file)
  return (hooks?.children ?? []).flatMap(entry => {
    const [key, list] = entry.children ?? []
    const event: unknown = key?.value
    if (typeof event !== 'string' || list?.type !== 'array') return []
    const isOurs = (handler: Node) => layout.ours(event, getNodeValue(handler))
    return (list.children ?? []).flatMap(element => {
      if (layout.entries === 'flat') return isOurs(element) ? [{ event, node: element }] : []
      const handlers = find(element, 'hooks')?.children ?? []
      const ours = handlers.filter(isOurs)
      if (ours.length > 0 && ours.length === handlers.length) return [{ event, node: element }]
      return ours.map(node => ({ event, node }))
    })
  })
}

/** `hooks` as a new key, and the key it needs next to it where that is missing. */
function insertHooks(text: string, root: Node, { beside }: HookLayout, entries: [string, unknown][]): string {
  const { eol, indent } = spacing(text, 1)
  const hooks = property('hooks', hooksValue(entries), text, 1)
  const withHooks = insertChildren(text, root, [hooks], { eol, indent })
  if (!beside || find(root, beside.key)) return withHooks
  const key = property(beside.key, beside.value, text, 1)
  // The blank before the line break tells ours from one that the person wrote.
  return insertChildren(withHooks, parse({ path: '', text: withHooks }).root, [key], {
    eol: ` ${eol}`,
    indent,
  })
}

function removeEntry(text: string, node: Node, layout: HookLayout): string | undefined {
  const left = removeChild(text, ourKeyBeside(text, node, layout) ?? node)
  if (left !== undefined) return left
  // A file that held only blanks gets them back: newFile put one more before the object.
  const ahead = text.slice(0, text.indexOf('{'))
  return ahead.endsWith(' ') ? ahead.slice(0, -1) : undefined
}

/** The key that came along with `hooks`, when this last entry takes `hooks` away. */
function ourKeyBeside(text: string, node: Node, { beside }: HookLayout): Node | undefined {
  const list = node.parent
  const event = list?.parent
  const hooks = event?.parent
  const key = hooks?.parent
  const next = key?.parent?.children?.at(-1)
  if (!beside || !list || !event || !hooks || !key || !next) return undefined
  if (!cameAlong(text, node, list) || !cameAlong(text, event, hooks)) return undefined
  if (!/^, \r?\n[ \t]*$/.test(text.slice(key.offset + key.length, next.offset))) return undefined
  return next.children?.[0]?.value === beside.key && next.children[1]?.value === beside.value
    ? next
    : undefined
}

function newFile(
  blanks: string | undefined,
  layout: HookLayout,
  wanted: ReadonlyMap<string, unknown>,
): string {
  const bare = '{\n}'
  const text = insertHooks(bare, parse({ path: '', text: bare }).root, layout, [...wanted])
  // The first blank says that the object was there before; here it was not.
  return `${blanks === undefined ? '' : `${blanks} `}${text.replace(' ', '')}\n`
}

function hooksValue(entries: [string, unknown][]): Record<string, unknown[]> {
  return Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]))
}

function eventList(file: { path: string; text: string }, event: string): Node | undefined {
  const { hooks } = parse(file)
  const list = hooks && find(hooks, event)
  if (list && list.type !== 'array') throw unreadable(file, list.offset, `\`hooks.${event}\` must be a list`)
  return list
}

function parse(file: SettingsFile): { root: Node; hooks: Node | undefined } {
  const text = file.text ?? ''
  // A byte order mark is not JSON; a blank in its place keeps every offset.
  const errors: ParseError[] = []
  const root = parseDeep(file, text.replace(/^\uFEFF/, ' '), errors)
  const [error] = errors
  if (error)
    throw unreadable({ path: file.path, text }, error.offset, words(printParseErrorCode(error.error)))
  if (root?.type !== 'object')
    throw unreadable({ path: file.path, text }, root?.offset ?? 0, 'the file must hold an object')
  const hooks = find(root, 'hooks')
  if (hooks && hooks.type !== 'object') {
    throw unreadable({ path: file.path, text }, hooks.offset, '`hooks` must be an object')
  }
  return { root, hooks }
}

/** The parser walks down by recursion: a file made of brackets ends in an error of ours. */
function parseDeep(file: SettingsFile, text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true })
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw unreadable({ path: file.path, text }, 0, 'it is nested too deeply')
  }
}

/** A key's value. Of a key that is there twice the last one counts, as for the agent. */
function find(object: Node, key: string): Node | undefined {
  if (object.type !== 'object') return undefined
  return object.children?.findLast(entry => entry.children?.[0]?.value === key)?.children?.[1]
}

function property(key: string, value: unknown, text: string, depth: number): string {
  return `${JSON.stringify(key)}: ${render(value, text, depth)}`
}

/** JSON in the file's own indentation and line ends. */
function render(value: unknown, text: string, depth: number): string {
  const { eol, indent } = spacing(text, depth)
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eol + indent)
}

function spacing(text: string, depth: number) {
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', indent: unitOf(text).repeat(depth) }
}

/** What the file's first key is indented by. */
function unitOf(text: string): string {
  return /\{\r?\n([ \t]{1,8})"/.exec(text)?.[1] ?? '  '
}

function blank(text: string): boolean {
  return /^\uFEFF?[ \t\r\n]*$/.test(text)
}

function same(found: ReadonlyMap<string, unknown>, wanted: ReadonlyMap<string, unknown>): boolean {
  if (found.size !== wanted.size) return false
  return [...wanted].every(([event, entry]) => JSON.stringify(found.get(event)) === JSON.stringify(entry))
}

function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`).toLowerCase()
}

function unreadable(file: { path: string; text: string }, offset: number, what: string): BatonError {
  const line = file.text.slice(0, offset).split(/\r\n|\r|\n/).length
  return new BatonError('settings_unreadable', `${file.path}, line ${line}: ${what}.`, {
    remedy: 'Correct the file by hand, then run the command again. Baton changed nothing in it.',
  })
}
