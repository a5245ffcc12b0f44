import type { ExpectedWord } from '@batonpass/contract/permission'
import { takesBaton } from './plan-baton.ts'
import { takesGh } from './plan-gh.ts'
import { takesGit } from './plan-git.ts'

/** Whether the broker does what a command needs from outside, as far as its words are known before it runs. */
export function brokerTakes([program, ...words]: readonly (string | undefined)[]): boolean {
  // By its plain name: only that finds the shim.
  if (program === 'gh') return takesGh(words)
  if (program === 'baton') return takesBaton(words)
  return program === 'git' && takesGit(gitCommand(words))
}

/** Whether a part that the broker takes is `git pull`: a fetch, and then a pull inside that needs no remote. */
export const isPull = ([program, ...words]: readonly ExpectedWord[]): boolean =>
  program === 'git' &&
  gitCommand(words.map(word => (typeof word === 'string' ? word : undefined)))[0] === 'pull'

/** Whether a git command names its remote. Otherwise settings do, which the command that it is part of may have changed. */
export const namesRemote = (words: readonly string[]): boolean =>
  gitCommand(words)
    .slice(1)
    .some(word => !word.startsWith('-'))

/** The subcommand and what follows it. */
function gitCommand<W extends string | undefined>(words: readonly W[]): readonly W[] {
  let at = 0
  while (/^(-C|--no-pager|-p|--paginate|-P)$/.test(words[at] ?? '')) at += words[at] === '-C' ? 2 : 1
  return words.slice(at)
}
