import { becomes, flagValue, harmless, has } from './outcome.ts'
import type { Check } from './use.ts'

/** At least one listed flag, none that changes the class, none unknown. */
const listOnly: Check = use => {
  const { parsed } = use
  const known = parsed.flags.every(
    used => used.flag !== undefined && used.flag.kind === undefined && used.flag.role !== 'write',
  )
  if (parsed.flags.length > 0 && known && parsed.uncertain.length === 0) harmless(use, 'only shows')
}

/** One of these flags turns writing into checking. */
const CHECKS_ONLY = [
  '--check',
  '--diff',
  '--check-only',
  '--code',
  '--show-config',
  '--show-files',
  '--version',
  '--help',
]

const checkOnly: Check = use => {
  if (has(use, ...CHECKS_ONLY)) harmless(use, 'only checks', 'project')
}

const VERSION = /^(--version|-version|-v|-V|--help|--help-long|-help|-h)$/

const versionOnly: Check = use => {
  if (use.args.length === 1 && VERSION.test(use.args[0]?.value ?? ''))
    becomes(use, 'read', 'prints its version or help')
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
  // A file of options may hold any flag.
  'no-option-files': use => {
    if (use.args.some(word => (word.value ?? '@').startsWith('@')))
      becomes(use, 'unlisted', 'reads more flags from a file')
  },
  // A formatter given as a path is code.
  eslint: use => {
    if (has(use, '-f', '--format') && !/^[a-z-]+$/.test(flagValue(use, '-f', '--format') ?? ''))
      becomes(use, 'exec', 'loads a formatter from a file')
  },
  'ansible-lists': use => {
    if (has(use, '--syntax-check', '--list-hosts', '--list-tasks', '--list-tags', '--version', '-h'))
      harmless(use, 'only lists or parses', 'project')
  },
  tsc: use => {
    if (has(use, '--noEmit', '--showConfig', '--listFilesOnly', '--version', '-v'))
      harmless(use, 'only checks types', 'project')
  },
  shell: use => {
    const option = has(use, '-o') ? flagValue(use, '-o') : 'pipefail'
    if (has(use, '-O') || !/^(pipefail|errexit|nounset|xtrace|noglob|noclobber)$/.test(option ?? ''))
      return becomes(use, 'unlisted', 'has an option that changes how the shell reads its text')
    if (use.command.wraps) return
    becomes(use, 'exec', 'runs a script or what it reads')
    if (use.args.length === 1 && /^--(version|help)$/.test(use.args[0]?.value ?? ''))
      becomes(use, 'read', 'prints its version or help')
  },
}
