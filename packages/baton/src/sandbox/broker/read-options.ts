/** Every option of a command that the broker lets pass. */
export interface KnownOptions {
  flags: readonly string[]
  /** Options with a value: the next word, or after `=`. */
  valued: readonly string[]
}

interface Read<Word> {
  options: { name: string; value: Word | undefined }[]
  others: Word[]
}

/** Reads the words after a command. A word that is only known when the command runs is undefined. */
export function readOptions<Word extends string | undefined>(
  all: readonly Word[],
  { flags, valued }: KnownOptions,
): Read<Word> | { unknown: string } {
  const options: Read<Word>['options'] = []
  const others: Word[] = []
  for (let at = 0; at < all.length; at++) {
    const word = all[at]
    if (word === undefined || !word.startsWith('-') || word === '-') {
      others.push(word as Word)
      continue
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const name = equals < 0 ? word : word.slice(0, equals)
    if (valued.includes(name)) {
      if (equals < 0 && at + 1 >= all.length) return { unknown: word }
      options.push({ name, value: equals < 0 ? all[++at] : (word.slice(equals + 1) as Word) })
    } else if (equals < 0 && flags.includes(name)) options.push({ name, value: undefined })
    else return { unknown: word }
  }
  return { options, others }
}
