/**
 * Quotes arguments for one line of tmux's command language. Inside double quotes, only `\`, `"` and `$` are special, and a
 * line break would end the line; all of these are escaped, so every argument arrives unchanged.
 */
export const lineOf = (words: readonly string[]): string => words.map(quoted).join(' ')

const quoted = (word: string): string =>
  `"${word
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll(/[\x01-\x1f\x7f]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`

/** Escapes `#` in arguments that tmux treats as formats, such as a folder or a name. */
export const unformatted = (text: string): string => text.replaceAll('#', '##')
