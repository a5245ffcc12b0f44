/**
 * JSON in printable ASCII on one line: no text in it can end its string, begin a line, hide behind look-alikes or invisible
 * characters, or (`@`, which headless agents read as a mention of a file) reach a file.
 */
export function encodeFacts(facts: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(facts).replaceAll(/[^\x20-\x3f\x41-\x7e]/g, escaped)
}

/**
 * Encoded facts between two lines that no fact can hold. `nonce` gives fresh chance; a fact that happens to hold it is
 * answered with another.
 */
export function betweenBorders(encoded: string, nonce: () => string): string {
  let border = `data-${nonce()}`
  for (let tries = 0; encoded.includes(border) && tries < 8; tries++) border = `data-${nonce()}`
  if (encoded.includes(border)) throw new Error('no border could be found that the request does not hold')
  return [border, encoded, border].join('\n')
}
