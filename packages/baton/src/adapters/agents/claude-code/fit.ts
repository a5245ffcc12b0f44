/** Claude Code puts a longer string into a file and shows the model only its beginning. */
const CLAUDE_TEXT_LIMIT = 10_000

/** The text, or as many of its whole lines as fit, with a last line that says how much is missing. */
export function fit(text: string, limit: number = CLAUDE_TEXT_LIMIT): string {
  if (text.length <= limit) return text
  // The mark's own length is at most this long: the count it holds has no more digits than the text's length.
  const room = limit - mark(text.length).length
  if (room <= 0) return wholeCharacters(text, limit)
  const start = text.slice(0, room)
  const line = start.lastIndexOf('\n')
  // One endless line is cut anywhere: keeping no line at all would lose everything.
  const kept = line > room / 2 ? start.slice(0, line) : wholeCharacters(start, room)
  return kept + mark(text.length - kept.length)
}

function mark(missing: number): string {
  return `\n[Baton cut ${missing} more characters here]`
}

/** Never half of a surrogate pair. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}
