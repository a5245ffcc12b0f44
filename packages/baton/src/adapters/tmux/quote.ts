/**
 * One line of tmux's own language from plain words. Within double quotes only `\`, `"` and `$` mean anything, and a
 * line break would end the line: those are written as escapes, so that a word arrives as it is, whatever is in it.
 */
export const lineOf = (words: readonly string[]): string => words.map(quoted).join(' ')

const quoted = (word: string): string =>
  `"${word
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll(/["\\$]/g, '\\$&')
    .replaceAll(/[\x01-\x1f\x7f]/g, c => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`

/** For arguments that tmux reads as formats, such as a folder or a name: `#` stands for itself. */
export const unformatted = (text: string): string => text.replaceAll('#', '##')
