const LIMIT = 256

/** Brace expansion of a text without quotes, escapes or `$`; undefined when it is not that simple. */
export function expandBraces(text: string): string[] | undefined {
  if (/["'\\$`]/.test(text)) return undefined
  const done = expand(text)
  return done && done.length <= LIMIT ? done : undefined
}

function expand(text: string): string[] | undefined {
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', open + 1)) {
    const close = matching(text, open)
    if (close === undefined) continue
    const alternatives = split(text.slice(open + 1, close))
    if (!alternatives) continue
    const before = text.slice(0, open)
    const rest = expand(text.slice(close + 1))
    if (!rest) return undefined
    const out: string[] = []
    for (const alternative of alternatives) {
      const inner = expand(alternative)
      if (!inner || inner.length * rest.length + out.length > LIMIT) return undefined
      for (const middle of inner) for (const tail of rest) out.push(before + middle + tail)
    }
    return out
  }
  return [text]
}

function matching(text: string, open: number): number | undefined {
  let depth = 0
  for (let index = open; index < text.length; index++) {
    if (text[index] === '{') depth++
    else if (text[index] === '}' && --depth === 0) return index
  }
  return undefined
}

/** The alternatives of `{…}`, or undefined when bash leaves it as it is. */
function split(inner: string): string[] | undefined {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index < inner.length; index++) {
    const char = inner[index]
    if (char === '{') depth++
    else if (char === '}') depth--
    else if (char === ',' && depth === 0) {
      parts.push(inner.slice(start, index))
      start = index + 1
    }
  }
  if (parts.length > 0) return [...parts, inner.slice(start)]
  return range(inner)
}

function range(inner: string): string[] | undefined {
  const match = /^(-?\d{1,4}|[a-zA-Z])\.\.(-?\d{1,4}|[a-zA-Z])$/.exec(inner)
  const from = match?.[1]
  const to = match?.[2]
  if (from === undefined || to === undefined) return undefined
  const numeric = /\d/.test(from) && /\d/.test(to)
  if (!numeric && (/\d/.test(from) || /\d/.test(to))) return undefined
  if (numeric && (/^-?0\d/.test(from) || /^-?0\d/.test(to))) return undefined
  const first = numeric ? Number(from) : from.charCodeAt(0)
  const last = numeric ? Number(to) : to.charCodeAt(0)
  if (Math.abs(last - first) > LIMIT) return undefined
  // Letters ranging over both cases pass through punctuation that bash treats specially.
  if (!numeric && /[A-Z]/.test(from) !== /[A-Z]/.test(to)) return undefined
  const step = first <= last ? 1 : -1
  const out: string[] = []
  for (let value = first; ; value += step) {
    out.push(numeric ? String(value) : String.fromCharCode(value))
    if (value === last) return out
  }
}
