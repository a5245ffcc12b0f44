/** Tells whether a character code belongs to a class. */
export type CharTest = (code: number) => boolean

/** The classes `\d`, `\w`, `\s` and their opposites. */
export function escapeClass(char: string): CharTest | undefined {
  switch (char) {
    case 'd':
      return code => code >= 48 && code <= 57
    case 'D':
      return code => code < 48 || code > 57
    case 'w':
      return isWord
    case 'W':
      return code => !isWord(code)
    case 's':
      return isSpace
    case 'S':
      return code => !isSpace(code)
    default:
      return undefined
  }
}

/** Control characters by their escape letter. */
export const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

export function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}

function isSpace(code: number): boolean {
  return (
    (code >= 9 && code <= 13) ||
    code === 32 ||
    code === 160 ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0xfeff
  )
}
