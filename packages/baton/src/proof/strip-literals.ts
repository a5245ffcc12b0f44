export type Language = 'javascript' | 'python' | 'other'

/** The language by the name of a file. */
export function languageOf(path: string): Language {
  if (/\.[cm]?[jt]sx?$/.test(path)) return 'javascript'
  return path.endsWith('.py') ? 'python' : 'other'
}

/**
 * The code without comments and without the contents of strings, so that a word counts only where it is code. Line breaks
 * stay. An unfinished literal ends with the text. With `keep-length`, spaces take the place of what is left out, so that every
 * place in the code is the same place in the text.
 */
export function stripLiterals(text: string, language: Language, how?: 'keep-length'): string {
  const out: string[] = []
  /** Where the code began that is not in `out` yet. */
  let start = 0
  /** The end of what is in `out`. */
  let tail = ''
  const push = (piece: string) => {
    out.push(piece)
    tail = (tail + piece.slice(-80)).slice(-80)
  }
  const before = () => (tail + text.slice(Math.max(start, at - 80), at)).slice(-80)
  let at = 0
  const next = new RegExp(BEGINS[language], 'g')
  while (at < text.length) {
    next.lastIndex = at
    at = next.exec(text)?.index ?? text.length
    if (at === text.length) break
    const end = literalEnd(text, at, language, before)
    if (end === undefined) {
      at += 1
      continue
    }
    push(text.slice(start, at))
    start = end
    const literal = text.slice(at, end)
    const isComment = literal.startsWith('//') || literal.startsWith('/*') || literal.startsWith('#')
    // What is computed inside a template is code, but never a test: it is left out with the rest.
    const blank = literal.replaceAll(/[^\n]/g, ' ')
    const quotes = blank.startsWith('  ') ? '""' : '"'
    if (how === 'keep-length') push(isComment ? blank : quotes + blank.slice(quotes.length))
    else push((isComment ? ' ' : '""') + literal.replaceAll(/[^\n]/g, ''))
    at = end
  }
  return out.join('') + text.slice(start)
}

/** The characters that may begin a literal or a comment. */
const BEGINS = { javascript: /["'`/]/, python: /["'#]/, other: /["/]/ } as const

/** Where the literal or comment that begins here ends; undefined if none begins here. */
function literalEnd(text: string, at: number, language: Language, before: () => string): number | undefined {
  const char = text[at]
  if (language === 'python') {
    if (char === '#') return lineEnd(text, at)
    if (char !== '"' && char !== "'") return undefined
    const triple = char.repeat(3)
    return text.startsWith(triple, at) ? quoteEnd(text, at + 3, triple) : quoteEnd(text, at + 1, char)
  }
  if (text.startsWith('//', at)) return lineEnd(text, at)
  if (text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2)
    return end < 0 ? text.length : end + 2
  }
  if (char === '"') return quoteEnd(text, at + 1, '"')
  // In Rust and Go, ' begins a lifetime or a rune; a long string with it exists only in JavaScript.
  if (language === 'other') return undefined
  if (char === "'") return quoteEnd(text, at + 1, "'")
  if (char === '`') return templateEnd(text, at + 1)
  return char === '/' && REGEX_BEFORE.test(before()) ? regexEnd(text, at + 1) : undefined
}

/** After these, a slash begins a regular expression, not a division. */
const REGEX_BEFORE = /(?:^|[([{,;=:!&|?+>}~]|\b(?:return|typeof|case|in|of))\s*$/

const MAX_REGEX = 300

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function quoteEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text.startsWith(quote, at)) return at + quote.length
    // Not closed on its line: not a string after all.
    else if (text[at] === '\n' && quote.length === 1) return at
  }
  return text.length
}

function templateEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text.startsWith('${', at)) {
      depth += 1
      at += 1
    } else if (text[at] === '{' && depth > 0) depth += 1
    else if (text[at] === '}' && depth > 0) depth -= 1
    else if (text[at] === '`' && depth === 0) return at + 1
  }
  return text.length
}

function regexEnd(text: string, from: number): number | undefined {
  let inClass = false
  for (let at = from; at < text.length && at < from + MAX_REGEX && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '[') inClass = true
    else if (text[at] === ']') inClass = false
    else if (text[at] === '/' && !inClass) return at + 1
  }
  return undefined
}
