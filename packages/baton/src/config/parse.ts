import { isAlias, isMap, isPair, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml'
import type { ConfigNode, MapEntry, MapNode, Scalar, Source } from './node.ts'
import type { ConfigProblem, Position } from './problem.ts'

/** Baton refuses a larger file. */
export const MAX_BYTES = 1_000_000
/** Counted before parsing, which costs up to 14 µs per token: a repository must not stall the daemon. */
const maxTokens = 20_000
/** Counted after expanding aliases. */
const maxNodes = 10_000
const maxDepth = 50
const maxProblems = 100

/** Parses a YAML file into nodes. Returns the valid parts and one problem for each error. */
export function parseConfig(bytes: Uint8Array, file: string): { node?: MapNode; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = []
  const report = (at: Position, message: string, remedy?: string) => {
    problems.push({ code: 'config_invalid', file, ...at, message, ...(remedy ? { remedy } : {}) })
  }
  try {
    const node = new Reader(decodeUtf8(bytes), file, report).readDocument()
    return { node, problems: limitProblems(problems, file) }
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop
    report(stop.at, stop.message, stop.remedy)
    // Earlier problems are unreliable if the file cannot be parsed to its end.
    return { problems: problems.slice(-1) }
  }
}

/** Stops parsing a file. */
class Stop extends Error {
  readonly at: Position
  readonly remedy: string | undefined
  constructor(at: Position, message: string, remedy?: string) {
    super(message)
    this.at = at
    this.remedy = remedy
  }
}

type Report = (at: Position, message: string, remedy?: string) => void

class Reader {
  private readonly lines = new LineCounter()
  private readonly anchors = new Map<string, unknown>()
  private readonly open = new Set<unknown>()
  private nodes = 0
  private outermostAlias: Position | undefined
  private readonly text: string
  private readonly file: string
  private readonly report: Report

  constructor(text: string, file: string, report: Report) {
    this.text = text
    this.file = file
    this.report = report
  }

  readDocument(): MapNode {
    this.checkTokens()
    const document = parseDocument(this.text, {
      lineCounter: this.lines,
      // A pretty error quotes the line, which may contain a secret.
      prettyErrors: false,
      // Checked below in linear time; the library's own check takes quadratic time.
      uniqueKeys: false,
      schema: 'core',
      resolveKnownTags: false,
      merge: false,
      logLevel: 'error',
    })
    const fault = document.errors[0] ?? document.warnings[0]
    if (fault) throw new Stop(this.at(fault.pos[0]), faultText(fault.code))
    const start: Source = { kind: 'file', file: this.file, line: 1, column: 1 }
    if (document.contents === null) return { kind: 'map', entries: new Map(), source: start }
    const node = this.convert(document.contents, start, 0)
    if (node.kind === 'scalar' && node.value === null)
      return { kind: 'map', entries: new Map(), source: start }
    if (node.kind !== 'map')
      throw new Stop(
        this.at(document.contents.range?.[0]),
        'expected keys such as "handsoff:" at the top of the file',
      )
    return node
  }

  private checkTokens(): void {
    let tokens = 0
    let offset = 0
    for (const token of new Lexer().lex(this.text)) {
      offset += token.length
      if (++tokens > maxTokens)
        throw new Stop(positionIn(this.text, offset), 'the file is too long for a configuration')
    }
  }

  private convert(node: unknown, fallback: Source, depth: number): ConfigNode {
    const source = this.sourceOf(node) ?? fallback
    const at = positionOf(source)
    if (++this.nodes > maxNodes)
      throw new Stop(this.outermostAlias ?? at, 'the file has too many values after expanding aliases')
    if (depth > maxDepth) throw new Stop(at, 'values are nested too deeply')
    if (isAlias(node)) return this.followAlias(node.source, at, fallback, depth)
    if (hasAnchor(node)) this.anchors.set(node.anchor, node)
    if (isScalar(node)) return { kind: 'scalar', value: this.scalar(node.value, at), source }
    if (!isMap(node) && !isSeq(node)) return { kind: 'scalar', value: null, source }
    this.open.add(node)
    const converted: ConfigNode = isMap(node)
      ? { kind: 'map', entries: this.entries(node.items, source, depth), source }
      : { kind: 'list', items: node.items.map(item => this.convert(item, source, depth + 1)), source }
    this.open.delete(node)
    return converted
  }

  private entries(pairs: readonly unknown[], parent: Source, depth: number): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>()
    for (const pair of pairs) {
      if (!isPair(pair)) continue
      const key = this.sourceOf(pair.key) ?? parent
      const name = isScalar(pair.key) && pair.key.value !== null ? String(pair.key.value) : undefined
      const at = positionOf(key)
      if (name === undefined) this.report(at, 'expected a key, as text')
      else if (reserved.has(name)) this.report(at, `the key ${name} is not allowed anywhere`)
      else if (entries.has(name))
        this.report(at, `the key ${quote(name)} appears twice`, 'Remove one of the two.')
      else entries.set(name, { key, node: this.convert(pair.value, key, depth + 1) })
    }
    return entries
  }

  private followAlias(name: string, at: Position, fallback: Source, depth: number): ConfigNode {
    const target = this.anchors.get(name)
    if (target === undefined) throw new Stop(at, 'an alias refers to an anchor that is not in the file')
    if (this.open.has(target)) throw new Stop(at, 'an alias refers to a value that contains the alias')
    const outer = this.outermostAlias
    this.outermostAlias ??= at
    const node = this.convert(target, fallback, depth + 1)
    this.outermostAlias = outer
    return node
  }

  private scalar(value: unknown, at: Position): Scalar {
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      return value
    throw new Stop(at, 'expected text, a number, true or false')
  }

  private sourceOf(node: unknown): Source | undefined {
    const range = (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
    return range ? { kind: 'file', file: this.file, ...this.at(range[0]) } : undefined
  }

  private at(offset: number | undefined): Position {
    const { line, col } = this.lines.linePos(Math.min(offset ?? 0, this.text.length))
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
}

// These keys have a special meaning in JavaScript objects.
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

const hasAnchor = (node: unknown): node is { anchor: string } =>
  (isScalar(node) || isMap(node) || isSeq(node)) && typeof node.anchor === 'string'

const positionOf = (source: Source): Position =>
  source.kind === 'file' ? { line: source.line, column: source.column } : { line: 1, column: 1 }

/** A key, quoted and shortened for a message. */
export const quote = (key: string): string => JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)

function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const rough = new TextDecoder().decode(bytes)
    throw new Stop(
      positionIn(rough, rough.indexOf('\ufffd')),
      'the file is not UTF-8 text',
      'Save it as UTF-8.',
    )
  }
  const control = text.search(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/)
  if (control >= 0)
    throw new Stop(positionIn(text, control), 'the file contains a control character', 'Remove it.')
  return text
}

function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, Math.max(0, offset))
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: before.length - lineStart + 1 }
}

function limitProblems(problems: ConfigProblem[], file: string): ConfigProblem[] {
  if (problems.length <= maxProblems) return problems
  const rest = problems.length - maxProblems
  return [
    ...problems.slice(0, maxProblems),
    { code: 'config_invalid', file, message: `${rest} more problems are not listed` },
  ]
}

// The library's messages may quote the file, so Baton shows its own messages for the library's codes.
const faults: Record<string, string> = {
  TAB_AS_INDENT: 'invalid YAML: indent with spaces, not tabs',
  BAD_INDENT: 'invalid YAML: wrong indentation',
  MISSING_CHAR: 'invalid YAML: a closing quote, bracket or a space is missing',
  MULTIPLE_DOCS: 'invalid YAML: expected one document, without a second "---"',
  BAD_SCALAR_START: 'invalid YAML: a value that starts with this character needs quotes',
  BAD_DQ_ESCAPE: 'invalid YAML: unknown escape in double quotes; use single quotes',
  BLOCK_AS_IMPLICIT_KEY: 'invalid YAML: two keys on one line, or a value that contains ": " and needs quotes',
  MULTILINE_IMPLICIT_KEY: 'invalid YAML: a line without "key: value", or a key over several lines',
  TAG_RESOLVE_FAILED: 'invalid YAML: tags such as !name are not supported',
  RESOURCE_EXHAUSTION: 'values are nested too deeply',
}
const faultText = (code: string): string => faults[code] ?? 'invalid YAML here'
