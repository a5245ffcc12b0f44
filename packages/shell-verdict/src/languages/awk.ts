import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'

const FLAGS = flagTable(
  '-F|--field-separator= -v|--assign= -f|--file= -i|--include= -l|--load= -E|--exec= -e|--source= -W= -b -c -C -h -V -n -N -r -s -S -t -P -O',
)

/** What an awk program does besides reading and printing, or undefined when it does nothing else. */
export function awkHazard(args: readonly Word[]): string | undefined {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: false, any: true })
  const files = parsed.flags.some(used => /^(-f|--file|-E|--exec|-i|--include|-l|--load)$/.test(used.name))
  if (files) return 'awk runs a program kept in a file'
  if (
    parsed.flags.some(
      used => used.name === '-W' && !/^(version|help|usage|posix|v)$/.test(used.value?.value ?? ''),
    )
  ) {
    return 'awk is given an implementation option'
  }
  const sources = parsed.flags
    .filter(used => used.name === '-e' || used.name === '--source')
    .map(used => used.value)
  const programs = sources.length > 0 ? sources : parsed.positionals.slice(0, 1)
  for (const program of programs) {
    if (program?.value === undefined) return 'the awk program is only known when it runs'
    const found = programHazard(program.value)
    if (found) return found
  }
  return undefined
}

/** Looks through the program's tokens; a string or regular expression is skipped whole. */
function programHazard(program: string): string | undefined {
  let index = 0
  let printing = false
  let depth = 0
  // A `/` after an operand divides; after anything else it opens a regular expression.
  let operand = false
  while (index < program.length) {
    const char = program.charAt(index)
    if (char === '#') {
      index = lineEnd(program, index)
    } else if (char === '"') {
      index = closing(program, index, '"')
      operand = true
    } else if (char === '/' && !operand) {
      index = closing(program, index, '/')
      operand = true
    } else if (/[A-Za-z_]/.test(char)) {
      const word = /^\w+/.exec(program.slice(index, index + 256))?.[0] ?? char
      if (
        /^(system|getline|ARGV|ARGC|close|fflush|ENVIRON_EXEC|PROCINFO|SYMTAB|FUNCTAB|extension|include|load)$/.test(
          word,
        )
      ) {
        if (word !== 'close' && word !== 'fflush')
          return word === 'system' ? 'awk runs a command through system()' : `awk uses ${word}`
      }
      if (word === 'print' || word === 'printf') {
        printing = true
        depth = 0
      }
      operand = !/^(print|printf|return|in|case|else|do|if|while|for)$/.test(word)
      index += word.length
    } else if (char === '@') {
      return 'awk loads or calls by name'
    } else if (char === '|') {
      if (program[index + 1] !== '|') return 'awk pipes to or from a command'
      index += 2
      operand = false
    } else if (char === '>' && printing && depth === 0) {
      return 'awk writes to a file'
    } else {
      if (char === '(' || char === '[') depth++
      if (char === ')' || char === ']') depth--
      if (char === ';' || char === '}' || char === '\n') printing = false
      if (/\S/.test(char)) operand = /[\d)\]$]/.test(char)
      index++
    }
    if (index === -1) return 'the awk program could not be read'
  }
  return undefined
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function closing(text: string, from: number, quote: string): number {
  let bracket = false
  for (let index = from + 1; index < text.length; index++) {
    const char = text[index]
    if (char === '\\') index++
    else if (char === '\n') return -1
    else if (quote === '/' && char === '[') bracket = true
    else if (quote === '/' && char === ']') bracket = false
    else if (char === quote && !bracket) return index + 1
  }
  return -1
}
