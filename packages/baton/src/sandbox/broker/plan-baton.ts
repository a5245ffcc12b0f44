import { type KnownOptions, readOptions } from './read-options.ts'

export type BatonPlan =
  | { kind: 'refused'; reason: string }
  /** Asks the person to open something to commands; nothing runs outside. */
  | {
      kind: 'request'
      shown: readonly string[]
      access: { kind: string; name: string; methods: string | undefined }
    }
  | {
      kind: 'baton'
      /** What rules judge and a person reads. */
      shown: readonly string[]
      args: readonly string[]
      /** The file inside whose text goes to standard input; `-` is standard input itself. */
      input: string | undefined
      /** It prints text that holds nothing of the user's: there is nothing to decide. */
      isHelp: boolean
    }

interface BatonCommand extends KnownOptions {
  /** Whether the command takes these words besides its options. */
  takes(words: readonly (string | undefined)[]): boolean
}

const HELP = ['-h', '--help']
const isName = (word: string | undefined): boolean => word === undefined || /^[\w#][\w.-]{0,99}$/.test(word)

/**
 * What an agent may have Baton do, with every option that it may use: about its own session and project only. No answer,
 * no rule, no setting, no other session, no path outside the project.
 */
const COMMANDS: Readonly<Record<string, BatonCommand>> = {
  done: {
    flags: ['--dry-run', '--json', ...HELP],
    valued: ['--blocked'],
    takes: words => words.length === 0,
  },
  status: {
    flags: ['--json', ...HELP],
    valued: [],
    takes: words => words.length === 0 || (words.length === 1 && isName(words[0])),
  },
  claim: {
    flags: ['--list', '--worktree', '--dry-run', '--json', ...HELP],
    valued: ['--summary', '--title'],
    takes: ([what, more, ...rest]) =>
      rest.length === 0 &&
      (what === undefined || /^(#?[1-9]\d{0,8}|next|ready|done|list|board)$/.test(what)) &&
      (more === undefined || (what === 'board' && more === 'setup')),
  },
  request: {
    flags: HELP,
    valued: ['--methods'],
    takes: ([kind, name, ...rest]) =>
      rest.length === 0 &&
      (kind === undefined ? name === undefined : /^(host|port|path)$/.test(kind)) &&
      (name === undefined || name.length <= 1000),
  },
  handoff: {
    flags: ['--print', '--context', '--json', ...HELP],
    valued: ['--focus', '--verify', '--section'],
    takes: ([what, ...names]) =>
      what === undefined
        ? names.length === 0
        : /^(list|show|diff)$/.test(what) &&
          names.length <= { list: 0, show: 1, diff: 2 }[what as 'list' | 'show' | 'diff'] &&
          names.every(isName),
  },
}

const commandOf = (name: string): BatonCommand | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined

/** Whether the broker understands a baton command, as far as its words are known before it runs. */
export function takesBaton([name = '', ...rest]: readonly (string | undefined)[]): boolean {
  const known = commandOf(name)
  const read = known && readOptions(rest, known)
  return known !== undefined && read !== undefined && !('unknown' in read) && known.takes(read.others)
}

/** What becomes of a baton command. Its options are joined with their values, so that no value can be taken for an option. */
export function planBaton(argv: readonly string[]): BatonPlan {
  const [name = '', ...rest] = argv
  const known = commandOf(name)
  if (!known)
    return refused(
      `baton ${name} does not run from inside the sandbox. An agent can use: ${Object.keys(COMMANDS).join(', ')}.`,
    )
  const read = readOptions(rest, known)
  if ('unknown' in read)
    return refused(`baton ${name} ${read.unknown} does not run from inside the sandbox. Leave it out.`)
  const { options, others } = read
  if (!known.takes(others))
    return refused(`baton ${name} ${others.join(' ')} does not run from inside the sandbox. Ask the user.`)
  const isHelp = options.some(option => HELP.includes(option.name))
  if (name === 'request' && !isHelp) {
    const [kind = '', wanted = ''] = others
    if (wanted === '') return refused('Say what you need: baton request host|port|path NAME')
    return {
      kind: 'request',
      shown: ['baton', ...argv],
      access: { kind, name: wanted, methods: options.find(option => option.name === '--methods')?.value },
    }
  }
  const files = options.filter(option => option.name === '--verify')
  if (files.length > 1) return refused(`baton ${name}: give --verify once.`)
  return {
    kind: 'baton',
    shown: ['baton', ...argv],
    args: [
      name,
      ...options.map(option => {
        if (option.value === undefined) return option.name
        return `${option.name}=${option.name === '--verify' ? '-' : option.value}`
      }),
      ...(others.length > 0 ? ['--', ...others] : []),
    ],
    input: files[0]?.value,
    isHelp,
  }
}

const refused = (reason: string): BatonPlan => ({ kind: 'refused', reason })
