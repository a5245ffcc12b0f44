import { unknownWord, type Word } from '../shell/word.ts'

/** A word whose placeholder is replaced by names that only the run shows. */
export function replacePlaceholder(word: Word, placeholders: readonly string[]): Word {
  const text = word.value
  if (text === undefined) return word
  const hit = placeholders.find(placeholder => placeholder !== '' && text.includes(placeholder))
  if (hit === undefined) return word
  // A shell text that holds the placeholder is written again for each input line.
  return { ...unknownWord(word.text, false), prefix: text.slice(0, text.indexOf(hit)) }
}
