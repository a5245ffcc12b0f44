/** Takes the token, and anything that looks like one, out of a text. */
export function scrubber(token: string): (text: string) => string {
  return text => {
    const own = token.length >= 4 ? text.replaceAll(token, '[token]') : text
    return own
      .replace(/\b(gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})/g, '[token]')
      .replace(/\b(bearer|token|basic)\s+[A-Za-z0-9._~+/=-]{16,}/gi, '$1 [token]')
  }
}
