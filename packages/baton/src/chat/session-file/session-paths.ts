import { join } from 'node:path'

/** The folder of the session files of `cwd`: `<home>/sessions/--<cwd with dashes>--`. */
export const sessionFolder = (home: string, cwd: string): string =>
  join(
    home,
    'sessions',
    `--${cwd.replace(/^[/\\]/, '').replaceAll(/[/\\:]/g, '-')}--`.slice(0, MAX_NAME_LENGTH),
  )

/** `<timestamp>_<id>.jsonl`, so that names sort by age. */
export const sessionFileName = (timestamp: string, id: string): string =>
  `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`

export const isSessionFileName = (name: string): boolean =>
  /^[0-9TZ-]{20,32}_[A-Za-z0-9._-]+\.jsonl$/.test(name)

/** Just below the longest name that file systems accept. */
const MAX_NAME_LENGTH = 250
