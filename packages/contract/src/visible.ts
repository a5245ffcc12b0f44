// Control and format characters, half surrogates, and every blank but the plain one: they hide or reorder what
// a person reads, steer a terminal, or look like something else.
const HIDDEN = /(?![ \n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

/** The same text with everything that is not seen written out as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, c => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`)
}
