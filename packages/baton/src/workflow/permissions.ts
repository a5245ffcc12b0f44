import type { CommandRule } from '@batonpass/contract/workflow'

/**
 * Whether a rule covers one simple command, given as its literal words. A caller must have taken the shell text apart:
 * a rule says nothing about what else stands on the line, and a word that is not literal is no match.
 */
export function coversCommand(rule: CommandRule, words: readonly string[]): boolean {
  if (!rule.words.every((word, i) => words[i] === word)) return false
  const rest = words.slice(rule.words.length)
  return rule.options.every(option => has(rest, option)) && !rule.never.some(option => has(rest, option))
}

function has(words: readonly string[], option: string): boolean {
  const [name = '', value] = split(option)
  return words.some((word, i) => {
    const [given = '', beside] = split(word)
    if (given !== name && !(isShort(name) && isShortGroup(given) && given.includes(name.slice(1))))
      return false
    return value === undefined || beside === value || (beside === undefined && words[i + 1] === value)
  })
}

function split(option: string): [string, string?] {
  const at = option.startsWith('--') ? option.indexOf('=') : -1
  return at < 0 ? [option] : [option.slice(0, at), option.slice(at + 1)]
}

const isShort = (name: string): boolean => /^-[A-Za-z]$/.test(name)
const isShortGroup = (word: string): boolean => /^-[A-Za-z]{2,}$/.test(word)
