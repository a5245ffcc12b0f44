import { type FlagTable, flagTable, type Parsed, parseOptions } from '../shell/options.ts'
import type { VariableAssignment } from '../shell/simple-command.ts'
import { literalWord, unknownWord, type Word } from '../shell/word.ts'
import { fdCommands } from './fd.ts'
import { findCommands } from './find.ts'
import { gitHazards } from './git.ts'
import { inlineCode } from './inline.ts'
import type { NestedSink } from './nested-sink.ts'
import { replacePlaceholder } from './placeholder.ts'
import { expandShell, SHELLS } from './shells.ts'
import { WRAPPERS, type Wrapper } from './wrappers.ts'

/** Reports the commands this program would start; true when it does nothing but start them. */
export function expandWrapper(program: string, args: readonly Word[], sink: NestedSink): boolean {
  if (SHELLS.has(program)) return expandShell(program, args, sink)
  if (program === 'find' || program === 'gfind') return findCommands(args, sink)
  if (program === 'fd' || program === 'fdfind') return fdCommands(args, sink)
  if (program === 'git') return gitHazards(args, sink)
  if (program === 'trap') return trapCommand(args, sink)
  if (program === 'alias') return aliases(args, sink)
  if (program === 'fzf' || program === 'sk') return previewCommand(args, sink)
  inlineCode(program, args, sink)
  const candidates = BY_NAME.get(program)
  if (!candidates) return false
  for (const compiled of candidates) {
    const rest = underSubcommand(compiled, args)
    if (rest) return expand(compiled, rest, sink)
  }
  return false
}

interface Compiled {
  readonly wrapper: Wrapper
  readonly flags: FlagTable
  readonly globals: FlagTable
  readonly inert: ReadonlySet<string>
}

const BY_NAME = new Map<string, Compiled[]>()
for (const wrapper of WRAPPERS) {
  const compiled: Compiled = {
    wrapper,
    flags: flagTable(wrapper.flags),
    globals: flagTable(wrapper.globals ?? ''),
    inert: new Set((wrapper.inert ?? '').split(' ')),
  }
  for (const name of wrapper.names.split(' ')) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), compiled])
}

const POSIX = { dash: 'gnu', permute: false } as const

/** The arguments after the sub-command, or undefined when another sub-command is meant. */
function underSubcommand(compiled: Compiled, args: readonly Word[]): readonly Word[] | undefined {
  const { under, except } = compiled.wrapper
  if (except?.includes(args[0]?.value ?? '')) return undefined
  if (!under) return args
  let rest = args
  const path =
    under.length === 2 && under[0] && ['tool', 'container', 'compose', 'netns'].includes(under[0])
      ? under.map(step => [step])
      : [under]
  for (const step of path) {
    const parsed = parseOptions(rest, compiled.globals, POSIX)
    const word = parsed.positionals[0]
    const at = parsed.indexes[0]
    if (!word || at === undefined || !step.includes(word.value ?? '')) return undefined
    rest = rest.slice(at + 1)
  }
  return rest
}

function expand(compiled: Compiled, args: readonly Word[], sink: NestedSink): boolean {
  const { wrapper } = compiled
  const dashes = args.findIndex(word => word.value === '--')
  const parsed = parseOptions(args, compiled.flags, {
    ...POSIX,
    permute: wrapper.permute === true && dashes === -1,
  })
  if (parsed.flags.some(used => compiled.inert.has(used.name))) return false
  let found = false
  const replaced: string[] = []
  for (const used of parsed.flags) {
    if (used.flag?.role === 'source') {
      found = true
      sourceOf(used.value, sink, wrapper.elsewhere === true)
    }
    if (wrapper.placeholder?.includes(used.name)) replaced.push(used.value?.value ?? '{}')
  }
  if (wrapper.rest === 'none') return found
  if (parsed.uncertain.length > 0) {
    sink.unknown(
      'dynamic-program',
      `the command is only known when it runs: ${parsed.uncertain[0]?.text ?? ''}`,
    )
  }
  let words: Word[]
  if (wrapper.afterDashes)
    words =
      dashes === -1
        ? afterSkip(parsed, wrapper.permute ? parsed.positionals.length : 0, args, wrapper)
        : args.slice(dashes + 1)
  else words = afterSkip(parsed, wrapper.skip ?? 0, args, wrapper)
  if (found && wrapper.rest === 'argv' && wrapper.names.startsWith('su')) return true
  const assignments: VariableAssignment[] = []
  if (wrapper.assigns) {
    let set = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[0]?.value ?? words[0]?.prefix ?? '')
    while (set?.[1]) {
      const known = words[0]?.value !== undefined
      assignments.push({ name: set[1], value: known ? literalWord(set[2] ?? '') : unknownWord('', false) })
      words = words.slice(1)
      set = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[0]?.value ?? words[0]?.prefix ?? '')
    }
  }
  if (words.length === 0) {
    if (wrapper.appends) sink.unknown('standard-input', 'the command comes from standard input')
    return found
  }
  if (replaced.length > 0) words = words.map(word => replacePlaceholder(word, replaced))
  else if (wrapper.appends && wrapper.rest === 'argv') words = [...words, unknownWord('(standard input)')]
  const moved = parsed.flags.some(used => used.flag?.role === 'directory')
  if (wrapper.rest === 'argv') sink.words(words, assignments, wrapper.elsewhere === true, moved)
  else joined(words, sink, wrapper)
  return true
}

function afterSkip(parsed: Parsed, skip: number, args: readonly Word[], wrapper: Wrapper): Word[] {
  const at = parsed.indexes[skip]
  if (at === undefined) return []
  if (wrapper.permute) return parsed.positionals.slice(skip)
  return args.slice(at)
}

function joined(words: readonly Word[], sink: NestedSink, wrapper: Wrapper): void {
  const texts = words.map(word => word.value)
  if (texts.some(text => text === undefined) || words.some(word => word.glob)) {
    sink.unknown('dynamic-source', 'the text handed to a shell is only known when it runs')
    return
  }
  if (wrapper.appends) sink.unknown('dynamic-source', 'input lines are put into the text handed to a shell')
  sink.source(texts.join(' '), wrapper.elsewhere === true)
}

function sourceOf(word: Word | undefined, sink: NestedSink, elsewhere: boolean): void {
  if (word?.value === undefined)
    sink.unknown('dynamic-source', 'the text handed to a shell is only known when it runs')
  else sink.source(word.value, elsewhere)
}

/** fzf runs its preview by itself for each line. */
function previewCommand(args: readonly Word[], sink: NestedSink): boolean {
  args.forEach((word, index) => {
    const text = word.value ?? word.prefix
    if (text === '--preview') sourceOf(args[index + 1], sink, false)
    else if (text.startsWith('--preview='))
      sourceOf(word.value === undefined ? word : literalWord(text.slice(10)), sink, false)
  })
  return false
}

/** Their text runs where their names are written. */
function aliases(args: readonly Word[], sink: NestedSink): boolean {
  for (const { value } of args) {
    const [, text] = /^[^=]+=(.*)$/s.exec(value ?? '') ?? []
    if (text !== undefined) sink.source(text, false)
  }
  return false
}

function trapCommand(args: readonly Word[], sink: NestedSink): boolean {
  const rest = args[0]?.value === '--' ? args.slice(1) : args
  const first = rest[0]
  if (!first || /^-[lp]*$/.test(first.value ?? '') || rest.length < 2) return false
  sourceOf(first, sink, false)
  return true
}
