import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'
import type { NestedSink } from './nested-sink.ts'

export const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'rbash',
  'csh',
  'tcsh',
])

const FLAGS =
  flagTable(`-c -i -l -r -s -D -a -b -e -f -h -k -m -n -p -t -u -v -x -B -C -E -H -P -T -o= -O= +o= +O= +x +e +u +B +h +m
  --login --noprofile --norc --posix --restricted --verbose --init-file=!source --rcfile=!source --debugger --noediting --command=`)

/** Standard input by its name. */
const INPUTS: ReadonlySet<string> = new Set(['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'])

/** `sh -c TEXT`: the text is the first word that is not an option, wherever `c` is in a bundle. */
export function expandShell(program: string, args: readonly Word[], sink: NestedSink): boolean {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: false })
  if (parsed.uncertain.length > 0) {
    sink.unknown('dynamic-source', `what ${program} runs is only known when it runs`)
    return false
  }
  if (parsed.flags.some(used => used.flag?.kind === 'source')) {
    sink.unknown('sourced-file', `${program} reads a start-up file`)
    return false
  }
  if (parsed.flags.some(used => used.name === '-c' || used.name === '--command')) {
    const attached = parsed.flags.find(used => used.name === '--command')?.value
    const text = attached ?? parsed.positionals[0]
    if (text?.value === undefined || text.glob) {
      sink.unknown('dynamic-source', `the text ${program} runs is only known when it runs`)
      return false
    }
    if (text.value.trim() === '') return false
    sink.source(text.value, false)
    return true
  }
  const [script] = parsed.positionals
  const readsInput = script === undefined || script.value === '-' || INPUTS.has(script.value ?? '')
  if (!readsInput && !parsed.flags.some(used => used.name === '-s')) return false
  if (parsed.strange.some(name => name === '--version' || name === '--help')) return false
  sink.unknown('standard-input', `${program} runs what it reads from standard input`)
  // What is known of it is denied like any other text.
  sink.sourceOfInput()
  return false
}
