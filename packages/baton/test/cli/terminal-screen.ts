import xterm from '@xterm/headless'

/** More than the longest output has. */
const ROWS = 500

/** What a person sees, and which lines the terminal had to break. */
export async function screenOf(
  text: string,
  columns: number,
): Promise<{ lines: string[]; broken: string[] }> {
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true })
  await new Promise<void>(resolve => terminal.write(text.replaceAll('\n', '\r\n'), resolve))
  const rows = Array.from({ length: ROWS }, (_, y) => terminal.buffer.active.getLine(y))
  const lines = rows.map(line => line?.translateToString(true) ?? '')
  const broken = lines.filter((_, y) => rows[y]?.isWrapped)
  terminal.dispose()
  return { lines: lines.join('\n').trimEnd().split('\n'), broken }
}
