/**
 * Characters that take no room, or turn the direction of what follows: a text can hide in them, or seem another. The one
 * that only chooses the coloured form of an emoji is harmless.
 */
export const UNSEEN = /((?!\ufe0f)\p{Default_Ignorable_Code_Point})/u

/** `U+202E` */
export const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A text in which what cannot be seen stands by its number, no longer than so much. */
export function plainly(text: string, most = 400): string {
  const short = text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
  return short
    .split(UNSEEN)
    .map((piece, index) => (index % 2 === 0 ? piece : `⟨${nameOf(piece)}⟩`))
    .join('')
}
