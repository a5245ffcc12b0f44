import { findPatchedPaths } from '../../languages/apply-patch.ts'
import { findJqHazard } from '../../languages/jq.ts'
import { parseOptions } from '../../shell/options.ts'
import { literalWord, unknownWord } from '../../shell/word.ts'
import { becomes, flagValue, harmless, has } from './outcome.ts'
import type { Check, Use } from './use.ts'

/** tar's first word may be a bundle without a dash. */
const tar: Check = use => {
  const [first, ...rest] = use.args
  const text = first?.value
  const bundled = text !== undefined && /^[A-Za-z]/.test(text)
  const parsed = bundled
    ? parseOptions([literalWord(`-${text}`), ...rest], use.flags, { dash: 'gnu', permute: true })
    : use.parsed
  if (parsed.strange.length > 0) return becomes(use, 'unlisted', `has the flag ${parsed.strange[0]}`)
  if (parsed.uncertain.length > 0) return becomes(use, 'unlisted', 'has an argument only known when it runs')
  const kinds = parsed.flags.map(({ flag }) => flag?.kind)
  const remote = parsed.flags.some(
    ({ name, value }) => /^(-f|--file)$/.test(name) && value?.value?.includes(':'),
  )
  if (kinds.includes('exec') || remote) return becomes(use, 'exec', 'runs another program')
  if (kinds.some(kind => kind !== undefined)) return becomes(use, 'write', 'packs or unpacks files')
  if (!parsed.flags.some(({ flag }) => flag?.names.some(name => /^(--list|--help|--version)$/.test(name))))
    return becomes(use, 'unlisted', 'does not say what to do')
  for (const { flag, value } of parsed.flags) if (flag?.role === 'read' && value) use.result.reads.push(value)
  use.result.unknownFlags = false
  becomes(use, 'read', 'lists an archive')
}

/** What a compressed file is called when it is not any more. */
const PACKED = /\.(gz|tgz|z|Z|bz2|tbz2?|xz|txz|lzma|tlz|zst|tzst|lz4|br)$/

const compressor: Check = use => {
  for (const word of use.parsed.positionals)
    if (word.value !== undefined && PACKED.test(word.value))
      use.result.writes.push(literalWord(word.value.replace(PACKED, '')))
  if (
    has(
      use,
      '-c',
      '--stdout',
      '--to-stdout',
      '-t',
      '--test',
      '-l',
      '--list',
      '-h',
      '--help',
      '-V',
      '--version',
      '-L',
      '--license',
    )
  ) {
    if (!has(use, '-o', '--output')) harmless(use, 'prints or tests')
  } else if (use.parsed.positionals.length === 0 && !has(use, '-r', '--recursive', '-o'))
    harmless(use, 'filters standard input')
}

const unzip: Check = use => {
  const lists =
    has(use, '-l', '-v', '-t', '-z', '-h', '-hh') || use.parsed.flags.some(used => used.name.startsWith('-Z'))
  if (lists && use.parsed.strange.length === 0 && !has(use, '-d')) harmless(use, 'lists or tests an archive')
}

const dd: Check = use => {
  for (const word of use.args) {
    const text = word.value ?? word.prefix
    if (text.startsWith('of=')) {
      use.result.writes.push(literalWord(text.slice(3)))
      if (/^of=\/dev\/(?!null|stdout|stderr)/.test(text)) becomes(use, 'destroy', 'writes to a device')
    }
    if (text.startsWith('if=')) use.result.reads.push(literalWord(text.slice(3)))
  }
}

/** With -i the files it edits are written. */
const sed: Check = use => {
  if (use.result.kind !== 'write') return
  use.result.writes.push(...use.result.reads)
}

function fzfRuns(use: Use): string | undefined {
  for (const used of use.parsed.flags) {
    const text = used.value?.value
    if (used.name !== '--bind') continue
    if (text === undefined) return 'has a binding only known when it runs'
    if (/(execute|become|reload|print_|unix|bg-)/.test(text)) return 'has a binding that runs a command'
    const command = /(?:transform[\w-]*|(?:change-)?preview)[:(](.*)$/s.exec(text)?.[1]
    if (command !== undefined && !/^echo[\\ ][^;&|`$<>]*$/.test(command))
      return 'has a binding that runs a command'
  }
  return undefined
}

export const FILE_CHECKS: Readonly<Record<string, Check>> = {
  tar,
  jq: use => {
    const program = use.parsed.positionals[0]
    if (use.result.kind !== 'read' || !program) return
    if (program.value === undefined) return becomes(use, 'unlisted', 'has a program only known when it runs')
    const hazard = findJqHazard(program.value)
    if (hazard) becomes(use, 'unlisted', hazard)
  },
  compressor,
  unzip,
  dd,
  sed,
  // Agents carry it out themselves: the patch names what it writes.
  'apply-patch': use => {
    const texts = [
      ...use.args.map(word => word.value),
      ...use.command.redirections.map(({ body }) => body),
    ].filter(text => text !== undefined)
    const paths = texts.flatMap(findPatchedPaths)
    use.result.writes.push(...(paths.length > 0 ? paths.map(literalWord) : [unknownWord('(the patch)')]))
  },
  // A link to a secret is a way to read it.
  ln: use => {
    use.result.reads.push(...use.parsed.positionals)
  },
  ar: use => {
    const plain = use.args.slice(1).every(word => /^[^-@]/.test(word.value ?? ''))
    if (plain && /^-?[tp][vO]*$/.test(use.args[0]?.value ?? '')) {
      harmless(use, 'lists an archive')
      use.result.reads.push(...use.args.slice(1, 2))
    }
  },
  'to-stdout': use => {
    if (has(use, '-c') && use.result.writes.length === 0) harmless(use, 'prints the result')
  },
  // Found files that a command is run on are shown, and a predicate may name a secret.
  find: use => {
    if (!use.command.words.some(word => /^-(exec|execdir|ok|okdir)$/.test(word.value ?? ''))) return
    use.result.shows = true
    for (const used of use.parsed.flags) {
      if (used.value && /^-i?(name|path|wholename|regex)$/.test(used.name))
        use.result.reads.push({ ...used.value, glob: true })
    }
  },
  // yq's language has more than jq's: loading files, evaluating texts, running programs.
  yq: use => {
    const program = use.parsed.positionals[0]
    if (use.result.kind !== 'read' || !program) return
    // Alone, a file name is the file.
    if (
      use.parsed.positionals.length === 1 &&
      /^[\w./-]+\.(ya?ml|json|xml|toml|csv)$/.test(program.value ?? '')
    ) {
      use.result.reads.push(program)
      return
    }
    const hazard = findJqHazard(program.value ?? '$')
    if (hazard) becomes(use, 'unlisted', hazard)
  },
  mktemp: use => {
    if (has(use, '-u', '--dry-run')) harmless(use, 'only prints a name')
  },
  date: use => {
    const word = use.parsed.positionals[0]
    if (word && !(word.value ?? word.prefix).startsWith('+') && !has(use, '-j'))
      becomes(use, 'system', 'sets the clock')
  },
  script: use => {
    const file = use.parsed.positionals[0]
    if (has(use, '-p')) return harmless(use, 'plays a recording')
    if (file && file.value !== '/dev/null') {
      use.result.writes.push(file)
      becomes(use, 'write', 'records to a file')
    }
    if (!use.command.wraps) becomes(use, 'exec', 'starts a shell')
  },
  trace: use => {
    const pipes = use.parsed.flags.some(
      ({ name, value }) => name === '-o' && /^[|!]/.test(value?.value ?? '|'),
    )
    if (pipes) becomes(use, 'exec', 'pipes what it sees into a command')
  },
  fzf: use => {
    const reason = fzfRuns(use)
    if (reason) becomes(use, 'exec', reason)
  },
  'packer-fmt': use => {
    if (flagValue(use, '-write') === 'false' || has(use, '-check')) harmless(use, 'only checks')
  },
}
