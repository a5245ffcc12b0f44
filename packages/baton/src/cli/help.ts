import { type Command, HELP, type Option } from './command.ts'
import { wrapWords } from './wrap-words.ts'

/** Used when the output is not a terminal. */
const WIDTH = 100

/** The overview that `baton` and `baton --help` print. */
export function overview(commands: readonly Command[], version: string, columns = WIDTH): string {
  const shown = commands.filter(command => !command.hidden)
  const width = Math.max(...shown.map(command => command.name.length))
  const groups = [...new Set(shown.map(({ group }) => group))]
  return [
    ...wrapWords(`baton ${version}: keeps coding agents working while you are away`, columns),
    '',
    'Usage: baton COMMAND [OPTIONS]',
    '',
    'New here? Run baton tour, then baton init.',
    ...groups.flatMap(group => [
      '',
      `${group ?? 'Commands'}:`,
      ...shown
        .filter(command => command.group === group)
        .flatMap(({ name, summary }) => row(name, summary, width, columns)),
    ]),
    '',
    'Options:',
    ...row('-h, --help', 'Show help; for one command: baton COMMAND --help', 13, columns),
    ...row('-v, --version', 'Print the version', 13, columns),
    '',
    ...wrapWords(
      'For agents and shells: baton done, baton hook, baton mcp, baton webhook, baton completions.',
      columns,
    ),
    ...wrapWords(
      'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 invalid configuration.',
      columns,
    ),
    '',
  ].join('\n')
}

export function helpOf(command: Command, columns = WIDTH): string {
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
    ...wrapWords(command.summary, columns),
    '',
    `Usage: ${['baton', command.name, ...positionals, '[OPTIONS]'].join(' ')}`,
    ...(command.details ? ['', ...wrapWords(command.details, columns)] : []),
    ...(command.positionals?.length
      ? ['', 'Arguments:', ...command.positionals.flatMap(p => row(p.name, argumentHelp(p), width, columns))]
      : []),
    '',
    'Options:',
    ...options.flatMap(o => row(o.left, o.right, width, columns)),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, what]) => [
      `  ${line}`,
      ...wrapWords(what, columns - 6).map(each => `      ${each}`),
    ]),
    '',
  ].join('\n')
}

/** A name and what it means, the rest of it below; in a very narrow window, all of it below. */
function row(left: string, right: string, width: number, columns: number): string[] {
  const indent = width + 4
  if (columns - indent < 24)
    return [`  ${left}`, ...wrapWords(right, columns - 6).map(line => `      ${line}`)]
  const [first = '', ...rest] = wrapWords(right, columns - indent)
  return [`  ${left.padEnd(width)}  ${first}`, ...rest.map(line => `${' '.repeat(indent)}${line}`)]
}

const valueName = ({ type, value = 'VALUE', optional }: Option): string =>
  type !== 'string' ? '' : optional ? `[=${value}]` : ` ${value}`

const argumentHelp = (p: { help: string; choices?: readonly string[] }): string =>
  p.choices ? `${p.help} One of: ${p.choices.join(', ')}.` : p.help
