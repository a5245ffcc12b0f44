/**
 * Characters that are invisible or change the writing direction: text can hide in them or look different. U+FE0F, which
 * only selects the coloured form of an emoji, is harmless.
 */
export const INVISIBLE = /((?!\ufe0f)\p{Default_Ignorable_Code_Point})/u

/** `U+202E` */
export const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Shows invisible characters by their number, and cuts the text after `maxLength` characters. */
export function visibleText(text: string, maxLength = 400): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text
  return short
    .split(INVISIBLE)
    .map((piece, index) => (index % 2 === 0 ? piece : `⟨${codePointName(piece)}⟩`))
    .join('')
}
