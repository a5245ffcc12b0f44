import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'

const FLAGS = flagTable(
  '-e|--expression= -f|--file= -n|--quiet|--silent -E|-r|--regexp-extended -i|--in-place? -I? -s|--separate -u|--unbuffered -z|--null-data -l|--line-length= --posix --debug --sandbox --follow-symlinks -b|--binary -a --help --version',
)

/** What a sed script does besides editing the stream, or undefined when it does nothing else. */
export function sedHazard(args: readonly Word[]): string | undefined {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: true, any: true })
  if (parsed.flags.some(used => used.flag?.names.includes('--file')))
    return 'sed runs a script kept in a file'
  const given = parsed.flags.filter(used => used.flag?.names.includes('-e')).map(used => used.value)
  const scripts = given.length > 0 ? given : parsed.positionals.slice(0, 1)
  if (parsed.uncertain.length > 0 && given.length === 0) return 'the sed script is only known when it runs'
  for (const script of scripts) {
    if (script?.value === undefined) return 'the sed script is only known when it runs'
    // Older seds end a pattern at a delimiter inside brackets, newer ones do not: both readings count.
    const found = scriptHazard(script.value, true)
    if (found) return found
    const older = scriptHazard(script.value, false)
    if (older && older !== UNREADABLE) return older
  }
  return undefined
}

const UNREADABLE = 'the sed script could not be read'

function scriptHazard(script: string, brackets: boolean): string | undefined {
  let index = 0
  const skip = (pattern: RegExp): void => {
    while (index < script.length && pattern.test(script.charAt(index))) index++
  }
  while (index < script.length) {
    skip(/[\s;{}]/)
    if (index >= script.length) return undefined
    for (let side = 0; side < 2; side++) {
      const after = address(script, index, brackets)
      if (after === -1) return UNREADABLE
      index = after
      skip(/[ \t]/)
      if (side === 0 && script[index] === ',') {
        index++
        skip(/[ \t]/)
      } else break
    }
    skip(/[ \t!]/)
    const command = script.charAt(index)
    index++
    if (command === '' || command === '{' || command === '}') continue
    if (command === '#') {
      index = lineEnd(script, index)
    } else if (command === 's' || command === 'y') {
      const end = substitution(script, index, brackets)
      if (end === -1) return UNREADABLE
      index = end
      if (command === 's') {
        const flags = /^[^;\n}]*/.exec(script.slice(index))?.[0] ?? ''
        if (/[ew]/.test(flags.split(/[\s#]/)[0] ?? '') || /^[gpiImM\d]*[ew]/.test(flags))
          return flags.includes('w') ? 'sed writes to a file' : 'sed runs a command'
        index += flags.length
      }
    } else if (/[wW]/.test(command)) return 'sed writes to a file'
    else if (command === 'e') return 'sed runs a command'
    else if (/[rRF]/.test(command)) {
      if (command !== 'F') return 'sed reads a further file'
    } else if (/[aic]/.test(command)) {
      index = textEnd(script, index)
    } else if (/[:btT]/.test(command)) {
      while (index < script.length && !/[;\n}]/.test(script.charAt(index))) index++
    } else if (/[dDgGhHlnNpPxzqQ=v]/.test(command)) {
      skip(/[ \t\d]/)
    } else return `sed: unknown command ${command}`
  }
  return undefined
}

function address(script: string, from: number, brackets: boolean): number {
  const char = script.charAt(from)
  if (/[\d]/.test(char)) return from + (/^\d+(~\d+)?/.exec(script.slice(from))?.[0].length ?? 0)
  if (/[+~]/.test(char)) return from + (/^[+~]\d+/.exec(script.slice(from))?.[0].length ?? 0)
  if (char === '$') return from + 1
  if (char !== '/' && char !== '\\') return from
  const open = char === '\\' ? from + 1 : from
  const end = delimited(script, open + 1, script.charAt(open), brackets)
  if (end === -1) return -1
  return end + (/^[IM]*/.exec(script.slice(end))?.[0].length ?? 0)
}

function substitution(script: string, from: number, brackets: boolean): number {
  const delimiter = script.charAt(from)
  if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return -1
  const middle = delimited(script, from + 1, delimiter, brackets)
  return middle === -1 ? -1 : delimited(script, middle, delimiter, false)
}

/** The offset after the next delimiter that is neither escaped nor, in a pattern, inside brackets. */
function delimited(script: string, from: number, delimiter: string, brackets: boolean): number {
  for (let index = from; index < script.length; index++) {
    const char = script[index]
    if (char === '\\') index++
    else if (char === delimiter) return index + 1
    else if (brackets && char === '[') {
      const close = script.indexOf(']', index + (script[index + 1] === '^' ? 3 : 2))
      if (close === -1) return -1
      index = close
    }
  }
  return -1
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** `a`, `i` and `c` take the rest of the line; a backslash before its end goes on. */
function textEnd(text: string, from: number): number {
  let end = lineEnd(text, from)
  while (end < text.length && text[end - 1] === '\\') end = lineEnd(text, end + 1)
  return end
}
