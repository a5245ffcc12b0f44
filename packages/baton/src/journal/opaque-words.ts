import { namesAccess } from './secret-clauses.ts'
import { isIdSetting, isLabelled } from './secret-positions.ts'
import { isDigest, isKnownName, isProduct, isStrong } from './value-forms.ts'

/**
 * Words of the user that may be a secret although nothing calls them one: they are neither language nor a known kind of name. The
 * caller has to find out which of them the project knows; a word that appears nowhere in it is treated as a secret. Every repetition is
 * bounded, as in secrets.ts.
 */
export function opaqueWordsIn(text: string): string[] {
  const found = new Set<string>()
  for (const [line] of text.matchAll(/[^\n]{1,4000}/g)) {
    if (!/\d|[\p{L}][!#$%&*^~+§=]/u.test(line)) continue
    const isAccess = namesAccess(line)
    const names = [...line.matchAll(/\S{20,4000}/g)].filter(({ 0: text }) => isDigest(unquoted(text)))
    for (const { 0: token, index } of line.matchAll(/:\/\//.test(line) ? ADDRESS_WORD : WORD)) {
      if (names.some(name => index >= name.index && index < name.index + name[0].length)) continue
      const word = token.replace(/^[.,:;*_#&@~-]{1,4}/, '').replace(/[.,:;?*…!_-]{1,4}$/, '')
      const before = line.slice(Math.max(0, index - 60), index)
      // A sign at the end may belong to the sentence or to the word.
      const whole = token.includes(`${word}!`) ? `${word}!` : word
      if (
        !isStrong(word) &&
        (isIdSetting(line, index, word) || EXAMPLE.test(before) || isLabelled(before, whole))
      )
        continue
      const isOpaque = [word, `${word}!`].some(
        each => token.includes(each) && isOpaqueWord(each) && !isKnownName(each),
      )
      if (isOpaque || (isAccess && isMixed(word) && !isKnownName(word))) found.add(word)
      if (found.size >= MAX_WORDS) return [...found]
    }
  }
  return [...found]
}

const MAX_WORDS = 60
const WORD =
  /[^\s"'`“”„«»‘’「」『』（）()<>[\]{}|/\\，。：、；！？\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]{6,80}(?![\w/\\])/gu

/** In an address, what is asked of the server has names of its own. */
const ADDRESS_WORD = new RegExp(WORD.source.replace('|/', '|/?&='), 'gu')
/** "is keyed like X", "ids look like X": an example of a name. */
const EXAMPLE = /(?<!\p{L})(?:like|wie|comme|como|come)\s{1,2}["'`]?$/iu
const unquoted = (text: string): string => text.replace(/^["'`(]{1,3}/, '').replace(/["'`),.;]{1,3}$/, '')

function isOpaqueWord(word: string): boolean {
  if (word.length < 6 || !/\p{L}/u.test(word) || /^\w+=|^--?\w|^\w+\(/.test(word)) return false
  const [lower, upper, digit] = [/\p{Ll}/u, /\p{Lu}/u, /\d/].map(kind => kind.test(word))
  if (/[\p{L}\d][!#$%&*^~+§=@][\p{L}\d]|\d[!$§]$/u.test(word))
    return digit === true && !/^[\d.,]+[+%&]|^\p{L}+\+\p{L}+$/u.test(word)
  if (!digit || !lower || !upper) return false
  const parts = word.split(/[-_.]/)
  if (parts.length > 1) return !isCompound(parts)
  return changesOf(word) >= MIN_CHANGES && !FUNCTION_NAME.test(word)
}

/** `S3-Bucket`, `24-Stunden-Frist`, `Sprint-12`, `Ubuntu-22.04`: words, numbers and short names with a word or a number at the end. */
function isCompound(parts: readonly string[]): boolean {
  const last = parts.at(-1) ?? ''
  return (
    parts.every(part => isPlain(part) || SHORT_NAME.test(part) || isProduct(part)) &&
    (isPlain(last) || isProduct(last)) &&
    // A longer number or two words and a number are how people make passwords.
    (/^\p{L}*$/u.test(last) || parts.slice(0, -1).every(part => /^\d*$/.test(part)) || last.length <= 3)
  )
}
const isPlain = (part: string): boolean => /^(?:\p{L}*|v?\d{1,4}|\d{1,3}\p{L}{1,2})$/u.test(part)
/** Names with a capital letter and a digit, such as `B2B`, `K8s`, `PS5`, `IPv6`, `OAuth2`, `HTML5`. */
const SHORT_NAME = /^(?=.{1,3}$|\p{Lu}{1,4}[a-z]{0,4}\d{1,2}$)[\p{L}\d]+$/u

const FUNCTION_NAME = /^[a-z]{2,30}(?:[A-Z][a-z]{1,30}|\d(?=[A-Z]|$)){1,12}$/

/** How often letters, capitals and digits take turns: rarely in a name, often in a random text. */
const changesOf = (word: string): number =>
  [...word].filter((sign, i) => i > 0 && kindOf(sign) !== kindOf(word[i - 1] ?? '')).length
const kindOf = (sign: string): number => (/\d/.test(sign) ? 0 : /\p{Ll}/u.test(sign) ? 1 : 2)
const MIN_CHANGES = 5

/** In a sentence about an account or a machine, a word of letters and digits is enough. */
const isMixed = (word: string): boolean =>
  word.length >= 6 &&
  /^[\p{L}][\p{L}\d]*$/u.test(word) &&
  /\d{2}/.test(word) &&
  /\p{L}{2}/u.test(word) &&
  !isProduct(word)
