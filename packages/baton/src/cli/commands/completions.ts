import { type Command, EXIT, type Handler } from '../command.ts'
import { completionScript, type Shell } from '../completions.ts'

export const completionsOf =
  (commands: readonly Command[]): Handler =>
  async (given, io) => {
    io.stdout.write(completionScript(given.positionals[0] as Shell, commands))
    return EXIT.ok
  }
