/** The text that rules judge and a person reads, for exactly these words. */
export const commandText = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
