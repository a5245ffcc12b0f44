/** Scripts that put no blanks between words. */
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

let segmenter: Intl.Segmenter | undefined

/** The words of a text in lower case, in any script. Particles of Japanese are left out: they carry no meaning of their own. */
export function wordsIn(text: string): string[] {
  const lower = text.toLowerCase()
  if (!WITHOUT_BLANKS.test(lower)) return lower.match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
  return Array.from(segmenter.segment(lower.slice(0, MAX_LENGTH))).flatMap(({ segment, isWordLike }) =>
    isWordLike && !/^(?:\p{Script=Hiragana}{1,4}|[a-z\d])$/u.test(segment) ? segment : [],
  )
}

const MAX_LENGTH = 8000
