import { literalWord, type Word } from '../../shell/word.ts'
import { becomes, has } from './outcome.ts'
import type { Check, Use } from './use.ts'

const LISTING = [
  '-l',
  '--list',
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
  '-n',
  '-v',
  '--verify',
  '--show-current',
  '-a',
  '-r',
]

const READS_CONFIG = [
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--get-color',
  '--get-colorbool',
  '-l',
  '--list',
]

/** Sub-commands whose effect a snapshot of the worktree and the refs can take back. */
const UNDOABLE = new Set([
  'add',
  'stage',
  'commit',
  'checkout',
  'switch',
  'restore',
  'rm',
  'mv',
  'apply',
  'revert',
  'cherry-pick',
  'reset',
  'stash',
  'merge',
  'clean',
])

/** `git clean -ff` takes nested repositories along. */
const forcedTwice = (use: Parameters<Check>[0]): boolean =>
  use.parsed.flags.filter(({ flag }) => flag?.names.includes('-f') || flag?.names.includes('--force'))
    .length > 1

/** The file in `REVISION:PATH` and `:PATH`; git shows it like one of the worktree. */
const pathInRevision = (word: Word): Word[] => {
  const path = /^[^:]*:(?:\d:)?(?:\.?\/)?(.+)$/s.exec(word.value ?? '')?.[1]
  return path === undefined ? [] : [literalWord(path)]
}

/** Addresses that are given to git in place of the name of a remote. */
const ADDRESS = /^[\w.+-]+:\/\/|^[\w.-]+@[\w.-]+:/

const noteAddresses = (use: Use, words: readonly Word[]): void => {
  use.result.hosts.push(...words.filter(word => word.value === undefined || ADDRESS.test(word.value)))
}

export const GIT_CHECKS: Readonly<Record<string, Check>> = {
  // What it shows may be a secret, in the worktree or in history.
  'git-shows': use => {
    use.result.reads.push(...use.parsed.positionals.flatMap(pathInRevision))
  },
  'git-branch': use => {
    if (use.result.kind !== 'read' || use.parsed.positionals.length === 0) return
    // `git tag -v` verifies; `git branch -v NAME` still makes a branch.
    const listing = use.result.path[0] === 'tag' ? LISTING : LISTING.filter(flag => !/^-[vn]$/.test(flag))
    if (!has(use, ...listing)) becomes(use, 'write', 'makes a branch or tag')
  },
  'git-config': use => {
    const words = use.parsed.positionals.map(word => word.value ?? '')
    if (use.result.kind !== 'read' || has(use, ...READS_CONFIG)) return
    if (words[0] === 'get' || words[0] === 'list') return
    if (words.length === 1 && !/^(set|unset|edit|rename-section|remove-section)$/.test(words[0] ?? '')) return
    if (words.length === 0 && use.parsed.flags.length > 0) return
    becomes(use, 'write', 'changes a setting')
  },
  'git-fetch': use => {
    noteAddresses(use, use.parsed.positionals.slice(0, 1))
    if (
      use.parsed.positionals.some(word =>
        /::|:/.test((word.value ?? '').replace(/^[\w.+-]+:\/\/|^[\w.-]+@[\w.-]+:/, '')),
      )
    ) {
      becomes(use, 'write', 'fetches into a local branch or through a helper')
    }
  },
  'git-transport': use => {
    noteAddresses(use, use.parsed.positionals.slice(0, 1))
    for (const { name, value } of use.parsed.flags)
      if (name === '--remote' && value) use.result.hosts.push(value)
    if (use.args.some(word => /^[\w+-]+::/.test((word.value ?? '').replace(/^--remote=/, ''))))
      becomes(use, 'exec', 'uses a transport helper')
  },
  'git-write': use => {
    const sub = use.result.path[0] ?? ''
    const elsewhere = use.command.words.some(word =>
      /^(-C|--git-dir|--work-tree)/.test(word.value ?? word.prefix),
    )
    use.result.inWorktree =
      !elsewhere &&
      UNDOABLE.has(sub) &&
      // Ignored files and nested repositories are in no snapshot, and other branches are not this worktree's.
      !(sub === 'clean' && (has(use, '-x', '-X') || forcedTwice(use))) &&
      !(sub === 'checkout' && has(use, '-B')) &&
      !(sub === 'switch' && has(use, '-C', '--force-create')) &&
      !has(use, '--exec', '-x', '--git-dir')
  },
  'git-push': use => {
    const words = use.parsed.positionals.map(word => word.value)
    const force =
      has(
        use,
        '-f',
        '--force',
        '--force-with-lease',
        '--force-if-includes',
        '--mirror',
        '--delete',
        '-d',
        '--prune',
      ) ||
      words.some((word, index) => index > 0 && /^[+:]/.test(word ?? '')) ||
      use.parsed.uncertain.length > 0
    if (!force) return
    const target = words.slice(1)
    use.result.forcePush =
      target.length === 1 &&
      target[0] !== undefined &&
      !has(use, '--all', '--mirror', '--tags', '--delete', '-d', '--branches', '--prune')
        ? branchOf(target[0])
        : ''
  },
}

/** `+HEAD:refs/heads/x` → `x`; '' when it names none. */
function branchOf(refspec: string): string {
  const plain = refspec.replace(/^\+/, '')
  const target = plain.includes(':') ? plain.slice(plain.lastIndexOf(':') + 1) : plain
  return target.replace(/^refs\/heads\//, '')
}
