import type { LauncherPlaces } from './launcher.ts'

/** A stable way to run `baton` for those who cannot know where it is installed, such as a plugin. */
export const ownProgramText = ({ node, cli }: Pick<LauncherPlaces, 'node' | 'cli'>): string =>
  `#!/bin/sh\nexec ${quoted(node)} ${quoted(cli)} "$@"\n`

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
