import { parse } from 'jsonc-parser'

/** Whether a rule's text may apply to a command: what it says before its first `*` is in it. Rather too often. */
export function mayApply(rule: string, command: string): boolean {
  const [literal = ''] = withoutQuotes(rule).replace(/:\*$/, '*').split('*')
  return hasWord(withoutQuotes(command), literal.trim())
}

/** Whether a word begins like this: `rm` is in `/bin/rm x`, but not in `npm run format`. */
export function hasWord(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    if (start === '' || at === 0 || /[^\w.-]/.test(text[at - 1] ?? '')) return true
  }
  return false
}

/** Whether the rule applies to every command. */
export const isCatchAll = (rule: string): boolean => /^[\s*]*$/.test(rule)

/** The values of a flag, up to the next flag; with commas between them or not. */
export function valuesOf(flag: string, args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    if (word.startsWith(`${flag}=`)) return split(word.slice(flag.length + 1))
    if (word !== flag) return []
    const rest = args.slice(at + 1)
    const end = rest.findIndex(value => value.startsWith('-'))
    return (end === -1 ? rest : rest.slice(0, end)).flatMap(split)
  })
}

/** Settings with comments; undefined if they are not valid. */
export function parseSettings(text: string): unknown {
  const errors: [] = []
  const settings: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length > 0 || typeof settings !== 'object' ? undefined : settings
}

export function settingAt(settings: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? Reflect.get(found, key)
        : undefined,
    settings,
  )
}

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : []

/** Without quotes, and with single blanks. */
export const withoutQuotes = (text: string): string =>
  text
    .replace(/['"\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Commas inside brackets belong to a rule. */
const split = (value: string): string[] => value.match(/(?:[^,(]|\([^)]*\))+/g) ?? []
