import { EXIT, type Handler } from '../command.ts'
import { completionScript, type Shell } from '../completions.ts'

export const completions: Handler = async (given, io) => {
  const { COMMANDS } = await import('../table.ts')
  io.stdout.write(completionScript(given.positionals[0] as Shell, COMMANDS))
  return EXIT.ok
}
