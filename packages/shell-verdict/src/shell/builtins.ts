import { changesWhatRuns, mayChangeProgram } from './environment.ts'
import type { UnknownCode } from './unknown.ts'
import type { Word } from './word.ts'

interface Reason {
  readonly code: UnknownCode
  readonly reason: string
}

/** Builtins that change what later words mean, or that evaluate their arguments. */
export function checkBuiltin(
  program: string,
  words: readonly Word[],
  plain: (word: Word) => boolean,
): Reason[] {
  switch (program) {
    case 'source':
    case '.':
      return [{ code: 'sourced-file', reason: 'runs the commands of a file' }]
    case 'alias':
    case 'unalias':
      return words.length === 0 || words.every(word => word.value === '-p')
        ? []
        : [{ code: 'alias', reason: 'changes what a name means' }]
    case 'hash':
      return words.some(word => word.value === undefined || /^-\w*[pd]/.test(word.value))
        ? [{ code: 'alias', reason: 'changes which program a name means' }]
        : []
    case 'enable':
    case 'complete':
    case 'compopt':
    case 'compgen':
    case 'bind':
    case 'fc':
      return words.every(word => word.value === '-l' || word.value === '-p' || word.value === '-a')
        ? []
        : [{ code: 'builtin', reason: `${program} can run or replace commands` }]
    case 'jobs':
      return words.some(word => word.value === undefined || word.value.startsWith('-x'))
        ? [{ code: 'builtin', reason: 'jobs -x runs a command' }]
        : []
    case 'shopt':
      return words.every(word => SHOPT.test(word.value ?? ''))
        ? []
        : [{ code: 'builtin', reason: 'shopt changes how the shell reads the rest' }]
    case 'set':
      return setReasons(words)
    case 'mapfile':
    case 'readarray':
      return [
        ...(words.some(word => word.value === undefined || /^-\w*C/.test(word.value))
          ? [{ code: 'builtin', reason: `${program} -C runs a command` } as const]
          : []),
        ...names(words),
      ]
    case 'let':
      return words.every(word => /^\w+(\+\+|--|[-+*/%]?=\d+)$/.test(word.value ?? ''))
        ? []
        : [{ code: 'arithmetic', reason: 'let evaluates its arguments' }]
    case 'test':
    case '[':
      return words.some((word, index) => /^-[vR]$/.test(word.value ?? '') && subscripted(words[index + 1])) ||
        words.some(word => word.value === undefined && word.many && !plain(word))
        ? [{ code: 'arithmetic', reason: 'a test may evaluate a subscript' }]
        : []
    case 'read':
    case 'unset':
    case 'readonly':
    case 'getopts':
      return names(words)
    case 'export':
      return names(words, mayChangeProgram)
    case 'declare':
    case 'typeset':
    case 'local':
      return [
        ...(words.some(word => /^[-+]\w*[ni]/.test(word.value ?? ''))
          ? [{ code: 'arithmetic', reason: `${program} makes a variable that is evaluated` } as const]
          : []),
        ...names(
          words,
          words.some(word => /^-\w*x/.test(word.value ?? '')) ? mayChangeProgram : changesWhatRuns,
        ),
      ]
    case 'printf':
      return words[0]?.value?.startsWith('-v')
        ? names(words.slice(0, 2))
        : words[0]?.value === undefined && words[0]?.prefix === '' && words[0]?.many
          ? [{ code: 'builtin', reason: 'printf may set a variable' }]
          : []
    case 'wait':
      return names(words.filter(word => !/^[-%\d]/.test(word.value ?? '')))
    default:
      return []
  }
}

/** Options that change no word's meaning. */
const SHOPT =
  /^(?:-[supqo]+|nullglob|failglob|nocasematch|checkwinsize|histappend|cmdhist|inherit_errexit|pipefail|errexit|nounset)$/
const SET_LETTERS = /^[-+][abefhmnuvxCEHT]*$/
const SET_OPTIONS =
  /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|errtrace|functrace|nolog|monitor|notify|noexec)$/

/** `set` may also export everything, or change how words are read. */
function setReasons(words: readonly Word[]): Reason[] {
  for (const [index, { value }] of words.entries()) {
    if (value === undefined)
      return [{ code: 'builtin', reason: 'set is given options only known when it runs' }]
    if (value === '--' || !/^[-+]/.test(value)) return []
    if (/^[-+]\w*o$/.test(value)) {
      const option = words[index + 1]?.value ?? 'pipefail'
      if (!SET_OPTIONS.test(option))
        return [{ code: 'builtin', reason: `set -o ${option} changes the shell` }]
      return setReasons(words.slice(index + 2))
    }
    if (!SET_LETTERS.test(value)) return [{ code: 'builtin', reason: `set ${value} changes the shell` }]
    if (/^-\w*a/.test(value))
      return [{ code: 'environment', reason: 'set -a hands every variable to the programs that follow' }]
  }
  return []
}

/** Arguments that name variables. */
function names(words: readonly Word[], changes: typeof changesWhatRuns = changesWhatRuns): Reason[] {
  for (const word of words) {
    const text = word.value ?? word.prefix
    const name = /^(?:-v)?([A-Za-z_]\w*)/.exec(text)?.[1]
    if (word.value === undefined && !/^[A-Za-z_]\w*=/.test(word.prefix) && !word.prefix.startsWith('-')) {
      return [{ code: 'builtin', reason: `the variable is only known when it runs: ${word.text}` }]
    }
    // Bash evaluates a subscript, and every name in it, until it finds a number.
    if (/^[^=]*\[/.test(text) && !/^(?:-v)?[A-Za-z_]\w*\[\d+\](?:=|$)/.test(text))
      return [{ code: 'arithmetic', reason: 'a subscript is evaluated' }]
    if (name && changes(name, text.includes('=') ? text.slice(text.indexOf('=') + 1) : undefined)) {
      return [{ code: 'environment', reason: `${name} changes what programs run or do` }]
    }
  }
  return []
}

function subscripted(word: Word | undefined): boolean {
  return word !== undefined && (word.value === undefined || word.value.includes('['))
}
