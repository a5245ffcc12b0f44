import { problemLine } from '../../config/problem.ts'
import { renderConfig } from '../../config/render.ts'
import { EXIT, flag, type Handler } from '../command.ts'
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
  io.stdout.write(renderConfig(loaded, { json, key: given.positionals[0], dim: text => colour('dim', text) }))
  // JSON holds them already, and a script that joins both streams would not parse.
  if (!json) {
    for (const notice of loaded.notices)
      io.stderr.write(`${colour('yellow', 'note:')} ${problemLine(notice)}\n`)
    for (const problem of loaded.problems)
      io.stderr.write(`${colour('red', 'error:')} ${problemLine(problem)}\n`)
  }
  return loaded.problems.length > 0 ? EXIT.invalid : EXIT.ok
}
