import type { Command } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A completion script made from the command table; it needs no running Baton. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const shown = commands.filter(command => !command.hidden)
  return shell === 'fish'
    ? fish(shown)
    : shell === 'zsh'
      ? `autoload -U +X bashcompinit && bashcompinit\n${bash(shown)}`
      : bash(shown)
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(command => `    ${command.name}) words='${wordsOf(command).join(' ')}' ;;`)
  const values = commands.flatMap(({ name, options = {} }) =>
    Object.entries(options).flatMap(([option, { choices }]) =>
      choices ? `    ${name}:--${option}) words='${choices.join(' ')}' ;;` : [],
    ),
  )
  return [
    '_baton() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} words',
    '  if [ "$COMP_CWORD" = 1 ]; then',
    `    words='${commands.map(c => c.name).join(' ')} --help --version'`,
    '  else case ${COMP_WORDS[1]} in',
    ...cases,
    "    *) words='--help' ;;",
    '  esac',
    '  case ${COMP_WORDS[1]}:${COMP_WORDS[COMP_CWORD-1]} in',
    ...values,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _baton baton',
    '',
  ].join('\n')
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return [
    'complete -c baton -f',
    ...commands.map(c => `complete -c baton -n __fish_use_subcommand -a ${c.name} -d ${quoted(c.summary)}`),
    ...commands.flatMap(c =>
      Object.entries(c.options ?? {}).map(
        ([name, option]) =>
          `complete -c baton -n '__fish_seen_subcommand_from ${c.name}' -l ${name}${option.short ? ` -s ${option.short}` : ''}${option.type === 'string' ? ' -r' : ''} -d ${quoted(option.help)}`,
      ),
    ),
    ...commands.flatMap(c =>
      (c.positionals ?? []).flatMap(p =>
        (p.choices ?? []).map(
          choice => `complete -c baton -n '__fish_seen_subcommand_from ${c.name}' -a ${choice}`,
        ),
      ),
    ),
    '',
  ].join('\n')
}

const wordsOf = (command: Command): string[] => [
  ...Object.keys(command.options ?? {}).map(name => `--${name}`),
  '--help',
  ...(command.positionals ?? []).flatMap(p => p.choices ?? []),
]
