// Control and format characters, lone surrogates, and every blank except the plain space: they hide or reorder what
// a person reads, control a terminal, or imitate other characters.
const HIDDEN = /(?![ \n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

/** The same text with every invisible character written out as `\u{…}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, c => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`)
}
