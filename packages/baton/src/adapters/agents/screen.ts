/** A stretch of one line in one style. */
export interface Span extends Style {
  text: string
}

export interface ScreenLine {
  text: string
  spans: readonly Span[]
}

/** A screen as tmux prints it, taken apart: a style lasts until it is changed, over the ends of lines, too. */
export function readScreen(screen: string): ScreenLine[] {
  let style = PLAIN
  return screen.split('\n').map(line => {
    const spans: Span[] = []
    for (const [, codes, other, text] of line.matchAll(PIECE)) {
      if (codes !== undefined) style = restyled(style, codes)
      else if (other === undefined && text) spans.push({ ...style, text })
    }
    return { text: spans.map(span => span.text).join(''), spans }
  })
}

interface Style {
  bold: boolean
  dim: boolean
  italic: boolean
  reverse: boolean
}

const PLAIN: Style = { bold: false, dim: false, italic: false, reverse: false }
/** Colours and the like, any other escape, or text. */
const PIECE = /\x1b\[([\d;:]*)m|(\x1b\[[\d;:?]*[A-Za-z]|\x1b.?)|([^\x1b]+)/g

function restyled(before: Style, codes: string): Style {
  const numbers = codes.split(';').map(code => Number.parseInt(code, 10) || 0)
  let style = before
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i] ?? 0
    // A colour brings its own numbers along.
    if (code === 38 || code === 48 || code === 58) i += numbers[i + 1] === 2 ? 4 : 2
    else if (code === 0) style = PLAIN
    else if (code === 1) style = { ...style, bold: true }
    else if (code === 2) style = { ...style, dim: true }
    else if (code === 3) style = { ...style, italic: true }
    else if (code === 7) style = { ...style, reverse: true }
    else if (code === 22) style = { ...style, bold: false, dim: false }
    else if (code === 23) style = { ...style, italic: false }
    else if (code === 27) style = { ...style, reverse: false }
  }
  return style
}
