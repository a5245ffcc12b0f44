import { becomes, flagValue, harmless, has } from './outcome.ts'
import type { Check, Use } from './use.ts'

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

/** Names of variables that hold secrets. */
const SECRET_VARIABLE =
  /secret|token|passw|passphrase|credential|api_?key|access_?key|private_?key|signing_?key|_(?:pat|pass|pwd)$/i
const SHOWS_ALL = 'prints every variable, which may hold secrets'

/** A word that becomes the value of a secret variable when it runs, or names one. */
const namesSecret = ({ value, choices, text }: Use['args'][number]): boolean =>
  value === undefined
    ? choices === undefined &&
      [...text.matchAll(/\$\{?!?([A-Za-z_]\w*)/g)].some(([, name]) => SECRET_VARIABLE.test(name ?? ''))
    : false

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
  // `echo "$API_KEY"` and `printenv API_KEY` put a secret where the agent reads it.
  environment: use => {
    const named =
      use.result.program === 'printenv' && use.args.some(word => SECRET_VARIABLE.test(word.value ?? ''))
    if (named || use.args.some(namesSecret))
      becomes(use, 'credential', 'prints a variable that holds a secret')
  },
  env: use => {
    if (!use.command.wraps && !has(use, '--help', '--version')) becomes(use, 'credential', SHOWS_ALL)
  },
  // Without a name they print all variables.
  variables: use => {
    const names = use.args.filter(word => !/^-[a-zA-Z]*$/.test(word.value ?? ''))
    const prints = use.args.every(word => /^-[a-zA-Z]*p?[a-zA-Z]*$/.test(word.value ?? ''))
    if (use.result.program === 'set' ? use.args.length === 0 : names.length === 0 && prints)
      becomes(use, 'credential', SHOWS_ALL)
    else if (
      use.args.some(word => /^-[a-zA-Z]*p/.test(word.value ?? '')) &&
      names.some(word => SECRET_VARIABLE.test(word.value ?? ''))
    )
      becomes(use, 'credential', 'prints a variable that holds a secret')
  },
  // `e` without a dash adds the variables of each process.
  ps: use => {
    if (use.parsed.positionals.some(word => /^[a-zA-Z]*e[a-zA-Z]*$/.test(word.value ?? '')))
      becomes(use, 'credential', 'prints the variables of processes, which may hold secrets')
  },
  'bare-only': use => {
    if (use.args.length === 0) harmless(use, 'without arguments')
  },
  'plain-args': use => {
    if (use.parsed.positionals.some(word => !/^[\w.:-]+$/.test(word.value ?? '')))
      becomes(use, 'unlisted', 'has an argument that is not plain')
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
    becomes(use, 'exec', 'a script, or what it reads')
    if (use.args.length === 1 && /^--(version|help)$/.test(use.args[0]?.value ?? ''))
      becomes(use, 'read', 'prints its version or help')
  },
}
