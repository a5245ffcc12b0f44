import type { Command } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A completion script made from the command table. It offers visible commands, and completes the words of all. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return shell === 'fish'
    ? fish(commands)
    : shell === 'zsh'
      ? `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
      : bash(commands)
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
    `    words='${visible(commands)
      .map(c => c.name)
      .join(' ')} --help --version'`,
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
    ...visible(commands).map(
      c => `complete -c baton -n __fish_use_subcommand -a ${c.name} -d ${quoted(c.summary)}`,
    ),
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

const visible = (commands: readonly Command[]) => commands.filter(command => !command.hidden)

const wordsOf = (command: Command): string[] => [
  ...Object.keys(command.options ?? {}).map(name => `--${name}`),
  '--help',
  ...(command.positionals ?? []).flatMap(p => p.choices ?? []),
]
