import { type Command, HELP, type Option } from './command.ts'

/** The overview that `baton` and `baton --help` print. */
export function overview(commands: readonly Command[], version: string): string {
  const shown = commands.filter(command => !command.hidden)
  const width = Math.max(...shown.map(command => command.name.length))
  return [
    `baton ${version}: keeps coding agents working without a person at their side`,
    '',
    'Usage: baton COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Options:',
    '  -h, --help     Show help, also of one command: baton COMMAND --help',
    '  -v, --version  Print the version',
    '',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 invalid configuration.',
    '',
  ].join('\n')
}

export function helpOf(command: Command): string {
  const positionals = (command.positionals ?? []).map(p => {
    const name = p.many ? `${p.name}...` : p.name
    return p.required ? name : `[${name}]`
  })
  const options = Object.entries({ ...command.options, help: HELP }).map(([name, option]) => ({
    left: `${option.short ? `-${option.short}, ` : '    '}--${name}${valueName(option)}`,
    right: option.choices ? `${option.help} One of: ${option.choices.join(', ')}.` : option.help,
  }))
  const width = Math.max(
    ...options.map(o => o.left.length),
    ...(command.positionals ?? []).map(p => p.name.length),
  )
  return [
    `${command.summary}`,
    '',
    `Usage: ${['baton', command.name, ...positionals, '[OPTIONS]'].join(' ')}`,
    ...(command.details ? ['', command.details] : []),
    ...(command.positionals?.length
      ? ['', 'Arguments:', ...command.positionals.map(p => `  ${p.name.padEnd(width)}  ${argumentHelp(p)}`)]
      : []),
    '',
    'Options:',
    ...options.map(o => `  ${o.left.padEnd(width)}  ${o.right}`),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    '',
  ].join('\n')
}

const valueName = ({ type, value = 'VALUE', optional }: Option): string =>
  type !== 'string' ? '' : optional ? `[=${value}]` : ` ${value}`

const argumentHelp = (p: { help: string; choices?: readonly string[] }): string =>
  p.choices ? `${p.help} One of: ${p.choices.join(', ')}.` : p.help
