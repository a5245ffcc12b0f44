import { attachedCommand } from '../nested/fd.ts'
import { leadingWords, type Parsed, parseOptions } from '../shell/options.ts'
import { programName } from '../shell/program.ts'
import type { SimpleCommand } from '../shell/simple-command.ts'
import type { Word } from '../shell/word.ts'
import { type Assessment, blankAssessment, UNKNOWN_PROGRAM } from './assessment.ts'
import { CHECKS } from './checks/registry.ts'
import { type Kind, worse } from './kinds.ts'
import { demandWrittenOut, judgeAddresses, noteUnplaced } from './side-inputs.ts'
import { type CompiledSpec, matchesVerb } from './spec.ts'

export type Programs = ReadonlyMap<string, CompiledSpec>

export function assess(command: SimpleCommand, programs: Programs): Assessment {
  const name = programName(command.words[0]?.value ?? '')
  const compiled = programs.get(name)
  if (!compiled) return blankAssessment('unlisted', name, UNKNOWN_PROGRAM)
  const result = assessUse(name, compiled, command)
  const { mildest } = compiled.spec
  return mildest ? { ...result, kind: worse(result.kind, mildest), plainKind: mildest } : result
}

function assessUse(name: string, compiled: CompiledSpec, command: SimpleCommand): Assessment {
  const args = command.words.slice(1)
  if (asksForHelp(args, compiled)) return blankAssessment('read', name, 'prints help')
  if (asksForVersion(args, compiled)) return blankAssessment('read', name, 'prints its version')
  const result = blankAssessment('unlisted', name, UNKNOWN_PROGRAM)
  descend(compiled, args, result, command)
  return result
}

/** Programs that run files of the project before they look at their arguments: not even their help is harmless. */
const runsScripts = ({ spec }: CompiledSpec): boolean =>
  !spec.help && (spec.kind === 'build' || spec.kind === 'exec')

function asksForVersion(args: readonly Word[], compiled: CompiledSpec): boolean {
  return (
    args.length === 1 &&
    args[0]?.value === '--version' &&
    compiled.flags.exact.has('--version') &&
    !runsScripts(compiled)
  )
}

/** `git push --help`: sub-commands that the table knows and nothing else before it. */
function asksForHelp(args: readonly Word[], compiled: CompiledSpec): boolean {
  const last = args.at(-1)?.value
  if (last !== '--help' && !(last === '-h' && compiled.flags.exact.get('-h')?.names.includes('--help')))
    return false
  if (runsScripts(compiled)) return false
  if (compiled.verbs.length > 0 && compiled.globals.exact.has('--help'))
    return args.slice(0, -1).every(word => /^[a-z][a-z0-9-]*$/.test(word.value ?? '') && !word.glob)
  let level: CompiledSpec | undefined = compiled
  for (const word of args.slice(0, -1)) level = word.glob ? undefined : level?.sub?.get(word.value ?? '')
  return level !== undefined && (compiled.spec.help === true || !runsScripts(level))
}

function descend(
  compiled: CompiledSpec,
  args: readonly Word[],
  result: Assessment,
  command: SimpleCommand,
): void {
  const { spec } = compiled
  if (spec.verbs && !compiled.sub?.has(args[0]?.value ?? '')) {
    byVerb(compiled, args, result, command)
    return
  }
  if (args.length === 0 && spec.bare) {
    result.kind = spec.bare
    result.reason = 'without arguments'
    return
  }
  if (compiled.sub) {
    const head = parseOptions(args, spec.kind === undefined ? compiled.flags : compiled.globals, {
      dash: spec.single ? 'single' : 'gnu',
      permute: false,
    })
    const word = head.positionals[0]
    const at = head.indexes[0]
    const child = word?.value !== undefined && !word.glob ? compiled.sub.get(word.value) : undefined
    if (child && at !== undefined && head.strange.length === 0) {
      result.path.push(word?.value ?? '')
      const hit = head.flags.find(used => used.flag?.kind)
      for (const { flag, value } of head.flags)
        if (flag && value && flag.role !== 'directory') place(flag.role, value, result)
      descend(child, args.slice(at + 1), result, command)
      if (hit?.flag?.kind) escalate(result, hit.flag.kind, hit.name)
      return
    }
    if (spec.kind === undefined) {
      if (
        args.length === 1 &&
        head.flags.length === 1 &&
        head.flags[0]?.flag &&
        /^(--version|--help|-v|-V|-h)$/.test(head.flags[0].name)
      ) {
        result.kind = 'read'
        result.reason = 'prints its version or help'
        return
      }
      result.reason =
        word?.value === undefined
          ? word
            ? 'has a sub-command only known when it runs'
            : 'has no sub-command'
          : head.strange[0]
            ? `has the unknown flag ${head.strange[0]}`
            : `has no known sub-command ${word.value}`
      return
    }
  }
  leaf(compiled, args, result, command)
}

function leaf(
  compiled: CompiledSpec,
  given: readonly Word[],
  result: Assessment,
  command: SimpleCommand,
): void {
  const { spec } = compiled
  const args = spec.strip ? withoutCommands(given, spec.strip) : given
  const parsed = spec.flagless
    ? allPositional(args)
    : parseOptions(args, compiled.flags, {
        dash: spec.single ? 'single' : 'gnu',
        permute: spec.posix !== true,
      })
  result.parsed = parsed
  result.kind = spec.kind ?? 'unlisted'
  result.plainKind = result.kind
  result.reason = reasonFor(result)
  result.wrapper = spec.wrapper === true && command.wraps
  result.shows = spec.namesOnly !== true
  result.deletes = spec.deletes === true
  for (const used of parsed.flags) {
    if (used.flag?.kind) escalate(result, used.flag.kind, used.name)
    if (used.value && used.flag) place(used.flag.role, used.value, result)
  }
  demandKnownFlags(compiled, parsed, result)
  placePositionals(compiled, parsed, result)
  demandKnown(compiled, args, result)
  noteUnplaced(compiled, parsed, result)
  const count = parsed.positionals.length
  if ((spec.min !== undefined && count < spec.min) || (spec.max !== undefined && count > spec.max)) {
    result.kind = worse(result.kind, 'unlisted')
    result.reason = `with ${spec.max !== undefined && count > spec.max ? 'more' : 'fewer'} arguments than are known`
  }
  if (
    compiled.needs &&
    !parsed.flags.some(used => used.flag?.names.some(name => compiled.needs?.has(name)) ?? false)
  ) {
    escalate(result, spec.needs?.otherwise ?? 'unlisted', undefined)
  }
  if (spec.check) CHECKS[spec.check]?.({ args, parsed, flags: compiled.flags, result, command })
  judgeAddresses(result)
  if (spec.optionFiles) demandWrittenOut(parsed, result)
  if (result.writes.length > 0 && result.kind !== 'unlisted') result.kind = worse(result.kind, 'write')
}

/** A flag that the table does not list, or a word that may turn out to be one, is never harmless. */
function demandKnownFlags(compiled: CompiledSpec, parsed: Parsed, result: Assessment): void {
  const strange = compiled.spec.parameters ? undefined : parsed.strange[0]
  const uncertain = result.wrapper || compiled.spec.complete ? undefined : parsed.uncertain[0]
  if (strange === undefined && !uncertain) return
  result.unknownFlags = true
  result.kind = worse(result.kind, 'unlisted')
  // `git push` is asked about with any flag: its effect is the reason, not the flag.
  if (worse(result.kind, 'write') !== 'write') return
  result.reason =
    strange === undefined
      ? `with an argument only known when it runs, which may be a flag: ${uncertain?.text ?? ''}`
      : `with the unknown flag ${strange}`
}

function placePositionals(compiled: CompiledSpec, parsed: Parsed, result: Assessment): void {
  const { args } = compiled.spec
  if (args === undefined) return
  const words = parsed.positionals
  if (args === 'copy') {
    const target = parsed.flags.some(used => used.name === '-t' || used.name === '--target-directory')
    words.forEach((word, index) => {
      place(!target && index === words.length - 1 ? 'write' : result.deletes ? 'write' : 'read', word, result)
    })
    return
  }
  const roles = typeof args === 'string' ? [args] : args
  const shift = parsed.flags.some(used => compiled.firstIsPathWith.has(used.name)) ? 1 : 0
  words.forEach((word, index) => {
    place(roles[Math.min(index + shift, roles.length - 1)] ?? 'text', word, result)
  })
}

function place(role: string, word: Word, result: Assessment): void {
  if (role === 'read' || role === 'directory') result.reads.push(word)
  else if (role === 'write') {
    if (!/^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|-)$/.test(word.value ?? '')) result.writes.push(word)
  } else if (role === 'host' || role === 'url') result.hosts.push(word)
}

function escalate(result: Assessment, kind: string, flag: string | undefined): void {
  const to = kind === 'no' ? 'unlisted' : (kind as Kind)
  if (worse(result.kind, to) === result.kind) return
  result.kind = to
  result.reason = flag === undefined ? 'lacks the flag that makes it harmless' : `has the flag ${flag}`
}

function reasonFor(result: Assessment): string {
  return result.path.length > 0 ? `with ${result.path.join(' ')}` : ''
}

/** Cloud command lines: `az network vnet list`. The first word that is a known verb decides. */
function byVerb(
  compiled: CompiledSpec,
  args: readonly Word[],
  result: Assessment,
  command: SimpleCommand,
): void {
  const { spec } = compiled
  if (args.length === 0) {
    result.kind = spec.bare ?? 'unlisted'
    result.reason = 'has no sub-command'
    return
  }
  const { words, strange, dynamic } = leadingWords(args, compiled.globals)
  if (words.length === 0 && strange !== undefined && args.length > 1) {
    result.reason = `has the unknown flag ${strange}`
    return
  }
  result.path = words
  const versioned =
    words.length === 0 && args.length === 1 && /^(--version|-v|-V)$/.test(args[0]?.value ?? '')
  if (versioned) {
    result.kind = 'read'
    result.reason = 'prints its version'
    return
  }
  const joined = words.join(' ')
  const fixed = compiled.paths.find(verb =>
    verb.open === 'none'
      ? joined === verb.pattern || joined.startsWith(`${verb.pattern} `)
      : matchesVerb(verb, joined),
  )
  const candidates = spec.verbAt === undefined ? words : words.slice(spec.verbAt, spec.verbAt + 1)
  let verb = fixed
  for (const [index, word] of candidates.entries()) {
    if (compiled.nouns.has(word) && index < candidates.length - 1) continue
    verb ??= compiled.verbs.find(known => matchesVerb(known, word))
  }
  if (!verb) {
    result.reason = dynamic
      ? 'has a sub-command only known when it runs'
      : `has no known sub-command ${joined}`
    return
  }
  result.kind = verb.kind
  result.plainKind = verb.kind
  result.reason = `with ${joined}`
  const parsed = parseOptions(args, compiled.flags, {
    dash: spec.single ? 'single' : 'gnu',
    permute: true,
  })
  result.parsed = parsed
  for (const used of parsed.flags) {
    if (used.flag?.kind) escalate(result, used.flag.kind, used.name)
    if (used.value && used.flag) place(used.flag.role, used.value, result)
  }
  demandKnownFlags(compiled, parsed, result)
  noteUnplaced(compiled, parsed, result)
  if (spec.check) CHECKS[spec.check]?.({ args, parsed, flags: compiled.flags, result, command })
  judgeAddresses(result)
}

/** `curl https://host/$(cat file)` sends what it reads. */
function demandKnown(compiled: CompiledSpec, args: readonly Word[], result: Assessment): void {
  const unknown = compiled.spec.known
    ? args.find(word => word.value === undefined && !word.choices)
    : undefined
  if (!unknown) return
  result.kind = worse(result.kind, 'unlisted')
  result.reason = `could send what is only known when it runs: ${unknown.text}`
}

const allPositional = (words: readonly Word[]): Parsed => ({
  flags: [],
  positionals: [...words],
  indexes: words.map((_, index) => index),
  strange: [],
  uncertain: [],
})

const FIND_STARTS = /^-(exec|execdir|ok|okdir)$/

/** `find … -exec grep -l x {} ;` keeps `-exec`; the words up to `;` or `+` are another command's. */
function withoutCommands(args: readonly Word[], program: 'find' | 'fd'): Word[] {
  const kept: Word[] = []
  let inside = false
  args.forEach((word, index) => {
    if (!inside) kept.push(word)
    const text = word.value ?? ''
    if (program === 'find' ? FIND_STARTS.test(text) : attachedCommand(text) !== undefined) inside = true
    else if (
      word.value === ';' ||
      (program === 'find' && word.value === '+' && args[index - 1]?.value === '{}')
    )
      inside = false
  })
  return kept
}
