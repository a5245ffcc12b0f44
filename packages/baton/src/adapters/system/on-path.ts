import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The file that a program name would run, or undefined. Does not start it. */
export function onPath(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (!folder.startsWith('/')) continue
    const file = join(folder, program)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not here.
    }
  }
  return undefined
}
