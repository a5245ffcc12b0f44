import { problemLine } from '../../config/problem.ts'
import { renderConfig, type ShownRow } from '../../config/render.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { type Column, fitList } from '../fit-table.ts'
import { paint } from '../io.ts'
import { loadConfigHere } from '../load-config.ts'

/** Shows the effective configuration and where each value came from. */
export const config: Handler = async (given, io) => {
  if (flag(given, 'schema')) {
    const { configJsonSchema } = await import('../../config/schema.ts')
    io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
    return EXIT.ok
  }
  const loaded = await loadConfigHere(io)
  const colour = paint(io)
  const json = flag(given, 'json')
  io.stdout.write(
    renderConfig(loaded, {
      json,
      key: given.positionals[0],
      dim: text => colour('dim', text),
      table: io.columns === undefined ? undefined : rows => fitList(rows, COLUMNS, io),
    }),
  )
  // JSON holds them already, and a script that joins both streams would not parse.
  if (!json) {
    for (const notice of loaded.notices)
      io.stderr.write(`${colour('yellow', 'note:')} ${problemLine(notice)}\n`)
    for (const problem of loaded.problems)
      io.stderr.write(`${colour('red', 'error:')} ${problemLine(problem)}\n`)
  }
  return loaded.problems.length > 0 ? EXIT.invalid : EXIT.ok
}

const COLUMNS: readonly Column<ShownRow>[] = [
  { dropped: 0, cell: ({ name }) => ({ text: name }) },
  { dropped: 0, least: 12, cell: ({ shown }) => ({ text: shown }) },
  { dropped: 1, least: 7, wraps: true, cell: ({ source }) => ({ text: source, style: 'dim' }) },
]
