import { takesBaton } from './plan-baton.ts'
import { takesGh } from './plan-gh.ts'
import { takesGit } from './plan-git.ts'

/** Whether the broker does what a command needs from outside, as far as its words are known before it runs. */
export function brokerTakes([program, ...words]: readonly (string | undefined)[]): boolean {
  // By its plain name: only that finds the shim.
  if (program === 'gh') return takesGh(words)
  if (program === 'baton') return takesBaton(words)
  if (program !== 'git') return false
  let at = 0
  while (/^(-C|--no-pager|-p|--paginate|-P)$/.test(words[at] ?? '')) at += words[at] === '-C' ? 2 : 1
  return takesGit(words.slice(at))
}
