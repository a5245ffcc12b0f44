import { harmlessPython } from '../../nested/inline.ts'
import { becomes, harmless, has } from './outcome.ts'
import type { Check } from './use.ts'

/** At least one listed flag, none that changes the class, none unknown. */
const listOnly: Check = use => {
  const { parsed } = use
  const known = parsed.flags.every(
    used => used.flag !== undefined && used.flag.kind === undefined && used.flag.role !== 'write',
  )
  if (parsed.flags.length > 0 && known && parsed.uncertain.length === 0) harmless(use, 'only shows')
}

/** One of the listed flags turns writing into checking. */
const checkOnly: Check = use => {
  const hit = use.parsed.flags.find(used => used.flag !== undefined && used.flag.kind === undefined)
  if (hit && use.parsed.uncertain.length === 0) harmless(use, `only checks, by ${hit.name}`, 'project')
}

const VERSION = /^(--version|-version|-v|-V|--help|--help-long|-help|-h|version)$/

const versionOnly: Check = use => {
  if (use.args.length === 1 && VERSION.test(use.args[0]?.value ?? '')) harmless(use, 'prints its version')
}

export const FLAG_CHECKS: Readonly<Record<string, Check>> = {
  'list-only': listOnly,
  'check-only': checkOnly,
  'version-only': versionOnly,
  'dry-run': use => {
    if (has(use, '--dry-run')) harmless(use, 'only shows what it would do', 'project')
  },
  'needs-command': use => {
    if (!use.command.wraps) becomes(use, 'unlisted', 'names no command')
  },
  uv: use => {
    const interpreter = use.parsed.flags.some(
      used => used.flag?.names.includes('--python') && /[/\\]/.test(used.value?.value ?? '/'),
    )
    if (interpreter) becomes(use, 'exec', 'runs an interpreter given as a path')
    else if (use.result.path[0] === 'run' && !use.command.wraps) becomes(use, 'unlisted', 'names no command')
  },
  'bare-only': use => {
    if (use.args.length === 0) harmless(use, 'without arguments')
  },
  'plain-args': use => {
    if (use.parsed.positionals.some(word => !/^[\w.:-]+$/.test(word.value ?? '')))
      becomes(use, 'unlisted', 'has an argument that is not plain')
  },
  python: use => {
    versionOnly(use)
    const [first, second] = use.args
    if (harmlessPython(use.args)) harmless(use, 'prints a literal')
    else if (first?.value === '-m' && second?.value === 'json.tool' && use.args.length <= 3)
      harmless(use, 'prints JSON')
  },
  tsc: use => {
    if (has(use, '--noEmit', '--showConfig', '--listFilesOnly', '--version', '-v'))
      harmless(use, 'only checks types', 'project')
  },
  shell: use => {
    if (use.command.wraps) return
    becomes(use, 'exec', 'runs a script or what it reads')
    if (use.args.length === 1 && /^--(version|help)$/.test(use.args[0]?.value ?? ''))
      harmless(use, 'prints its version')
  },
}
