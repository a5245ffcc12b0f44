import { flagTable } from '../shell/options.ts'
import { literalWord, unknownWord, type Word } from '../shell/word.ts'
import type { NestedSink } from './nested-sink.ts'
import { replacePlaceholder } from './placeholder.ts'

const FD_FLAGS =
  flagTable(`-x|--exec -X|--exec-batch -t|--type= -e|--extension= -E|--exclude= -d|--max-depth= --min-depth= --exact-depth=
  -c|--color= -j|--threads= -S|--size= -g|--glob -p|--full-path -o|--owner= --changed-within= --changed-before= --newer= --older=
  --max-results= --base-directory= --search-path= --and= --format= --path-separator= --ignore-file= --batch-size=`)

/** Everything after -x or -X belongs to the command, up to `;`. */
export function fdCommands(args: readonly Word[], sink: NestedSink): boolean {
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.value
    if (text === undefined) continue
    if (text === '--') return false
    const flag = FD_FLAGS.exact.get(text)
    const attached = attachedCommand(text)
    if (attached !== undefined) {
      const end = args.findIndex((word, at) => at > index && word.value === ';')
      const rest = args.slice(index + 1, end === -1 ? undefined : end)
      const command = attached === '' ? rest : [literalWord(attached), ...rest]
      if (command.length === 0) sink.unknown('dynamic-program', 'fd runs an unnamed command')
      else {
        const held = command.some(word => word.value?.includes('{'))
        const filled = command.map(word => {
          const next = replacePlaceholder(word, ['{}', '{/}', '{//}', '{.}', '{/.}'])
          // fd prints paths below the folder it searched: they start with no dash.
          return word.value === '{}' ? { ...next, prefix: './' } : next
        })
        sink.words(
          held ? filled : [...filled, { ...unknownWord('(found path)', true), prefix: './' }],
          [],
          false,
        )
      }
      index = end === -1 ? args.length : end
    } else if (flag?.arity === 'value') index++
  }
  return false
}

/** The command that begins in this flag; '' when it comes next, undefined when the flag starts none. */
export function attachedCommand(text: string): string | undefined {
  if (text === '--exec' || text === '--exec-batch') return ''
  const long = /^--exec(?:-batch)?=(.*)$/s.exec(text)
  if (long) return long[1]
  if (!/^-[^-]/.test(text)) return undefined
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at)
    if (letter === 'x' || letter === 'X') return text.slice(at + 1)
    if (FD_FLAGS.exact.get(`-${letter}`)?.arity === 'value') return undefined
  }
  return undefined
}
