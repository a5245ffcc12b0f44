/** A piece of a line in one style; `style` is a CSS class of the picture. */
interface Span {
  text: string
  style?: string
}

const COLUMNS = 112
const ROWS = 27
const CHAR = 7.8
const LINE = 18
const TOP = 46
const LEFT = 18
/** The last screen stays for a while before the picture starts again. */
const LAST_SCREEN_S = 6

/**
 * The lines of a tour that the picture shows: all but the login link and the terminal's address, which no one can
 * use afterwards. Names of this machine and of this moment are replaced, so that every recording looks the same.
 */
export function shownLines(output: string): string[] {
  const from = output.indexOf('  Watch in a browser:')
  const to = output.indexOf('\n', output.indexOf('attach -r')) + 1
  if (from < 0 || to <= from) throw new Error('The tour prints its addresses differently: adapt shownLines()')
  return (output.slice(0, from) + output.slice(to))
    .replaceAll(/handoff-\d{4}(-\d\d){4}/g, 'handoff-2026-01-22-14-30')
    .replaceAll(
      /Denied by \S+ \(\w+\): no scripts from the\s+internet/g,
      'Denied by you: no scripts from the internet',
    )
    .trim()
    .split('\n')
}

/** An animated SVG of a terminal in which the lines appear one after the other. Without animation it shows the end. */
export function tourPicture(lines: readonly string[]): string {
  const shown = timed(lines.map(spansOf))
  const total = (shown.at(-1)?.at ?? 0) + LAST_SCREEN_S
  const percent = (seconds: number) => `${((seconds / total) * 100).toFixed(2)}%`
  const width = Math.ceil(COLUMNS * CHAR + 2 * LEFT)
  const height = TOP + ROWS * LINE + 12
  const scroll = (row: number) => `transform:translateY(${-Math.max(0, row + 1 - ROWS) * LINE}px)`
  const last = shown.length - 1
  const steps = shown.flatMap(({ at }, row) =>
    row + 1 > ROWS && shown[row + 1]?.at !== at ? [`${percent(at)}{${scroll(row)}}`] : [],
  )
  const appear = shown.map(({ at }, row) => `@keyframes l${row}{0%{opacity:0}${percent(at)}{opacity:1}}`)
  const use = shown.map((_, row) => `.l${row}{animation-name:l${row}}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="baton tour: an agent takes an issue to a merged pull request, unattended">
<!-- Recorded from the real tour by scripts/record-tour.ts. -->
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6deeb;white-space:pre}
.bold{font-weight:700;fill:#fff}.dim{fill:#8a97ab}.red{fill:#ff6b6b}.green{fill:#8bd649}.yellow{fill:#ffcb6b}.cyan{fill:#5ccfe6}
#lines{${scroll(last)};animation:scroll ${total.toFixed(1)}s step-end infinite}
#lines text{animation:${total.toFixed(1)}s step-end infinite}
@keyframes scroll{0%{${scroll(0)}}${steps.join('')}}
${appear.join('\n')}
${use.join('')}
@media (prefers-reduced-motion:reduce){#lines,#lines text{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#131a26"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
<text x="${width / 2}" y="25" text-anchor="middle" class="dim">npx batonpass tour</text>
<clipPath id="screen"><rect x="0" y="${TOP - 6}" width="${width}" height="${ROWS * LINE}"/></clipPath>
<g clip-path="url(#screen)"><g id="lines">
${shown.map(({ spans }, row) => textLine(spans, row)).join('\n')}
</g></g>
</svg>
`
}

/** When each line appears, in seconds. Not the recorded times: those depend on the machine. */
function timed(lines: readonly Span[][]): { spans: Span[]; at: number }[] {
  let at = 0
  return lines.map(spans => {
    const text = spans.map(span => span.text).join('')
    at += pauseBefore(text)
    return { spans, at: Math.round(at * 100) / 100 }
  })
}

function pauseBefore(text: string): number {
  if (text.startsWith('Setting up')) return 1
  if (/^Issue #/.test(text)) return 1.2
  if (/^\?/.test(text)) return 0.8
  if (/answered:/.test(text)) return 1.8
  if (/^What happened/.test(text)) return 1.2
  if (/^[▶❯✓✗↻⇄●⚑]/u.test(text)) return 0.55
  return 0
}

function textLine(spans: readonly Span[], row: number): string {
  const parts = spans.map(({ text, style }) =>
    style ? `<tspan class="${style}">${escaped(text)}</tspan>` : escaped(text),
  )
  return `<text class="l${row}" x="${LEFT}" y="${TOP + row * LINE + 8}">${parts.join('')}</text>`
}

const STYLES: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '36': 'cyan',
}

/** Splits a line at its colour codes; the tour uses one style at a time and closes each with a reset. */
function spansOf(line: string): Span[] {
  const spans: Span[] = []
  let style: string | undefined
  for (const part of line.split(/(\x1b\[\d+m)/)) {
    const code = /^\x1b\[(\d+)m$/.exec(part)?.[1]
    if (code !== undefined) style = STYLES[code]
    else if (part !== '') spans.push(style ? { text: part, style } : { text: part })
  }
  return spans
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
