import { type CommandRun, wordsOf } from '../session/transcript/collect-facts.ts'

/** Words only: case, punctuation and markup do not count. */
export const normalizeText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Whether a document's path is this file, named from the root or from a folder below it. */
export function isSamePath(said: string, is: string): boolean {
  const path = said.replace(/^\.\//, '').replace(/\/$/, '')
  return path === is || is.endsWith(`/${path}`)
}

/** The last run of a command, including runs as one part of a longer command line. An exact run counts before a longer one. */
export function findRun(command: string, outcomes: ReadonlyMap<string, CommandRun>): CommandRun | undefined {
  return (
    lastRun(outcomes, ran => isSameCommand(command, ran)) ??
    lastRun(outcomes, ran => beginsWith(command, ran))
  )
}

function lastRun(
  outcomes: ReadonlyMap<string, CommandRun>,
  fits: (ran: string) => boolean,
): CommandRun | undefined {
  let found: CommandRun | undefined
  for (const ran of outcomes.values())
    if (fits(ran.command) && (found?.at ?? 0) <= (ran.at ?? Number.POSITIVE_INFINITY)) found = ran
  return found
}

/** Redirections, variables before the program and the folder it runs in do not make it another command. */
export function isSameCommand(said: string, ran: string): boolean {
  const words = wordsOf(said)
  if (ran === words) return true
  const hidden = withHiddenSecrets(words)
  if (hidden) return [ran, ...partsOf(ran)].some(part => hidden.test(part))
  const bare = bareCommand(words)
  return partsOf(ran).some(part => part === words || part === bare || bareCommand(part) === bare)
}

/** Matches a command in which Baton replaced secrets. A secret has no spaces, so the rest must still be the same. */
function withHiddenSecrets(words: string): RegExp | undefined {
  const parts = words.split(/\[redacted(?:: [^\]]{0,100})?\]/)
  if (parts.length < 2 || parts.join('').trim() === '') return undefined
  const literal = parts.map(part => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${literal.join('\\S{1,500}')}$`)
}

const beginsWith = (said: string, ran: string): boolean => {
  const bare = bareCommand(wordsOf(said))
  return bare.includes(' ') && partsOf(ran).some(part => bareCommand(part).startsWith(`${bare} `))
}

const partsOf = (command: string): string[] => command.split(/\s*(?:&&|\|\||[;|])\s*/)

const bareCommand = (command: string): string =>
  command
    .replaceAll(/\s*(?:\d?>{1,2}|<)\s*(?:&\d|\S+)/g, '')
    .replace(/^(?:(?:[A-Za-z_]\w*=\S*|time|sudo|nohup|env)\s+)+/, '')
    .replace(/\s*&$/, '')
    .trim()

/** The path in a line of `git status`, in its short or its long form. `m` marks a submodule with changes in it. */
export function statusPath(line: string): string {
  const path = line
    .replace(/^\s*(?:[ MADRCUTm?!]{2}|[MADRCUTm?!]{1,2})\s+(?=\S)/, '')
    .replace(
      /^\s*(?:modified|new file|deleted|renamed|copied|typechange|both \w+|untracked|added by us|added by them|deleted by us|deleted by them):\s+/i,
      '',
    )
    .replace(/^.* -> /, '')
    .trim()
  return path.replace(/^"(.*)"$/, '$1').replace(/^`(.*)`$/, '$1')
}

/** Whether a listed path is this file, or a folder that holds it. */
export function isListed(said: string, path: string): boolean {
  const bare = said.replace(/^\.\//, '').replace(/\/+$/, '')
  return bare === path || path.startsWith(`${bare}/`) || bare === '.'
}
