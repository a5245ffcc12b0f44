import { unknownWord, type Word } from '../shell/word.ts'
import type { NestedSink } from './nested-sink.ts'

const STARTS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** The commands of `find … -exec … ;`. The program `find` itself is still judged by its predicates. */
export function findCommands(args: readonly Word[], sink: NestedSink): boolean {
  for (let index = 0; index < args.length; index++) {
    const word = args[index]
    if (word?.value === undefined) {
      if (word && word.prefix === '' && word.many)
        sink.unknown('dynamic-program', `find may be told to run something: ${word.text}`)
      continue
    }
    if (!STARTS.has(word.value)) continue
    let end = index + 1
    while (end < args.length) {
      const text = args[end]?.value
      if (text === ';' || (text === '+' && args[end - 1]?.value === '{}')) break
      end++
    }
    const command = args.slice(index + 1, end)
    // An unknown word may be the `;` that ends the command: what follows would belong to find.
    const open = command.find(
      ({ value, prefix, choices }) => value === undefined && prefix === '' && !choices,
    )
    if (open) sink.unknown('dynamic-program', `find may end its command at ${open.text}`)
    if (command.length === 0) sink.unknown('dynamic-program', 'find runs an unnamed command')
    else sink.words(command.map(foundPath), [], false, word.value === '-execdir' || word.value === '-okdir')
    index = end
  }
  return false
}

function foundPath(word: Word): Word {
  const at = word.value?.indexOf('{}') ?? -1
  if (at === -1 || word.value === undefined) return word
  // find puts the starting point before each name: it cannot become a flag.
  const prefix = word.value.slice(0, at)
  return { ...unknownWord(word.text, false), prefix: prefix === '' && word.value === '{}' ? './' : prefix }
}
