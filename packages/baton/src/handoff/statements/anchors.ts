import { contentWords } from '../supersession.ts'
import type { Line } from './lines.ts'

/**
 * What a sentence holds on to, in any language: its numbers and names in code. If the output of one command holds all of them, the
 * sentence says what that command showed, in other words. Each group is enough; none if the sentence has too little to tell.
 */
export function anchorGroupsOf({ text, mood }: Line): string[][] {
  if (mood !== 'fact' || text.length > MAX_LENGTH || DENIES.test(text)) return []
  const anchors = [...new Set((text.match(TOKEN) ?? []).filter(isAnchor))]
  if (!anchors.some(isStrong) || anchors.length > MAX_ANCHORS) return []
  if (anchors.length > 1 || MEASURED.test(anchors[0] ?? '')) return [anchors]
  // One alone may occur by chance: a word has to be with it.
  const rest = anchors.reduce((left, anchor) => left.replaceAll(anchor, ' '), text)
  const words = [...contentWords(rest)].filter(each => /^[a-z]{5,}$/.test(each))
  return words.slice(0, MAX_WORDS).map(word => [...anchors, `${word}*`])
}

/** Under which name a group that occurs together is reported. */
export const groupKey = (group: readonly string[]): string => group.join('\0')

const MAX_LENGTH = 400
const MAX_ANCHORS = 12
const MAX_WORDS = 4
const TOKEN =
  /\d{3,}(?:[.,]\d+)? ?(?:[mµn]s|[kMGT]i?B|[kMG]?Hz|rpm|dpi|px|km\/[hs])(?![\p{L}\d])|[\p{L}\d_]+(?:[.,:/@-][\p{L}\d_]+)*/gu

/** A larger number with its unit is enough alone. */
const MEASURED = /^\d{3,}.*\p{L}$/u

/** Numbers, and words with a digit, a capital inside, an underscore, or a dot, slash or colon between letters. */
const isAnchor = (word: string): boolean => /[\d_./:@]|\p{Ll}\p{Lu}/u.test(word)
const isStrong = (anchor: string): boolean => anchor.length >= (/^\d+$/.test(anchor) ? 3 : 4)

const DENIES =
  /\b(?:not|no|none|never|nothing|without|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin|nem|sem)\b|n['’]t\b|(?<!\p{L})(?:não|değil|yok)(?!\p{L})|ない|ません|没有|不/iu
