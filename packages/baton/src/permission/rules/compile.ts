import type { PermissionPreset, PermissionRule } from '@batonpass/contract/permission'
import type { Programs } from '@batonpass/shell-verdict/programs/assess'
import { compilePrograms } from '@batonpass/shell-verdict/programs/builtin'
import { type CompiledRule, commandMatch, compileRule, type RulePlace } from './match.ts'
import { OWN_PROGRAM } from './own-program.ts'
import { PRESETS, type Preset } from './presets.ts'

/** Rules from one place: the user's file, a trusted project's file, an active workflow. */
export interface RuleSource {
  /** Shown in trails: a file name, or `workflow setup-viewboard`. */
  readonly name: string
  /** A workflow's allow lifts an ask; a user's does not outrank their own ask. */
  readonly layer: 'user' | 'workflow'
  readonly allow?: readonly PermissionRule[]
  readonly deny?: readonly PermissionRule[]
  readonly ask?: readonly PermissionRule[]
  /** Commands written out, as workflows name them. */
  readonly commands?: readonly string[]
}

export interface RuleSet {
  readonly preset: Preset
  readonly presetName: PermissionPreset
  readonly programs: Programs
  readonly deny: readonly CompiledRule[]
  readonly ask: readonly CompiledRule[]
  readonly allow: readonly CompiledRule[]
  readonly workflow: readonly CompiledRule[]
  /** Servers that commands in the sandbox may read from, in the syntax of `sandbox.hosts`; web tools may, too. */
  readonly hosts: readonly string[]
}

export interface CompileOptions extends RulePlace {
  readonly preset?: PermissionPreset
  readonly hosts?: readonly string[]
}

/** Done once per configuration; a decision only reads the result. Throws PatternError for a pattern it cannot take. */
export function compileRules(sources: readonly RuleSource[], options: CompileOptions): RuleSet {
  const presetName = options.preset ?? 'standard'
  const deny: CompiledRule[] = []
  const ask: CompiledRule[] = []
  const allow: CompiledRule[] = []
  const workflow: CompiledRule[] = []
  for (const source of sources) {
    const add = (
      rules: readonly PermissionRule[] | undefined,
      decision: 'allow' | 'deny' | 'ask',
      into: CompiledRule[],
    ): void => {
      rules?.forEach((rule, index) => {
        into.push(compileRule(rule, decision, `${source.name} ${decision}[${index}]`, options))
      })
    }
    add(source.deny, 'deny', deny)
    add(source.ask, 'ask', ask)
    add(source.allow, 'allow', source.layer === 'workflow' ? workflow : allow)
    add(source.commands?.map(commandMatch), 'allow', source.layer === 'workflow' ? workflow : allow)
  }
  const { hosts = [] } = options
  const preset = PRESETS[presetName]
  return { preset, presetName, programs: knownPrograms(), deny, ask, allow, workflow, hosts }
}

let programs: Programs | undefined

/** The built-in program tables and Baton's own command, compiled on first use. */
function knownPrograms(): Programs {
  programs ??= compilePrograms([OWN_PROGRAM])
  return programs
}
