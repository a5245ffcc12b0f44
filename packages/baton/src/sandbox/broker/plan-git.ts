import type { RecordedRepository } from '../../ports/broker.ts'

/** What a program in the sandbox reported about its repository. It may lie: what it says is judged and shown before it counts. */
export interface RepositoryFacts {
  /** The full name of the current branch. */
  head?: string | undefined
  headId?: string | undefined
  refs: readonly { ref: string; id: string }[]
  settings: readonly (readonly [string, string])[]
}

export type GitPlan =
  /** Nothing outside is needed. */
  { kind: 'inside' } | { kind: 'refused'; reason: string } | GitWork

export interface GitWork {
  kind: 'push' | 'fetch' | 'ls-remote'
  /** What rules judge and a person reads: it names the branches that `args` changes. */
  shown: readonly string[]
  /** What runs in the mirror. */
  args: readonly string[]
  remotes: readonly string[]
  /** What a push changes on the remote. */
  pushed: readonly { source: string; target: string }[]
  /** The branch that shall follow the pushed one. */
  upstream: { branch: string; merge: string } | undefined
  skipHook: boolean
  /** What the real git runs inside afterwards. */
  afterwards: readonly string[] | undefined
}

interface CommandOptions {
  /** Options that have no value. */
  flags: readonly string[]
  /** Options with a value after `=`. */
  valued: RegExp
}

const COMMON = [
  '-q',
  '--quiet',
  '-v',
  '--verbose',
  '--progress',
  '--no-progress',
  '-4',
  '-6',
  '--ipv4',
  '--ipv6',
]

/** Every option that the broker lets pass. One that names a program, a file or a setting could run code outside. */
const OPTIONS: Readonly<Record<string, CommandOptions>> = {
  push: {
    flags: [
      ...[
        '-u',
        '--set-upstream',
        '-f',
        '--force',
        '--force-with-lease',
        '--force-if-includes',
        '--no-force-if-includes',
      ],
      ...['-n', '--dry-run', '--no-verify', '--verify', '--atomic', '--porcelain', '--thin', '--no-thin'],
    ],
    valued: /^$/,
  },
  fetch: {
    flags: [
      '-p',
      '--prune',
      '--no-prune',
      '--all',
      '-t',
      '--tags',
      '-n',
      '--no-tags',
      '-f',
      '--force',
      '--atomic',
    ],
    valued: /^$/,
  },
  pull: {
    flags: [
      ...['-r', '--rebase', '--no-rebase', '--ff-only', '--ff', '--no-ff', '--autostash', '--no-autostash'],
      ...['-p', '--prune', '--no-edit', '--stat', '-n', '--no-stat', '--squash', '--no-commit', '--commit'],
    ],
    valued: /^--rebase=(true|false|merges)$/,
  },
  'ls-remote': {
    flags: ['-h', '--heads', '--branches', '-t', '--tags', '--refs', '--exit-code', '--symref'],
    valued: /^--sort=-?[\w:]+$/,
  },
}

/** Options of a pull that belong to its fetch. */
const OF_FETCH = new Set(['-p', '--prune', ...COMMON])
const HOOK_OPTIONS = new Set(['--no-verify', '--verify'])

/** Whether the broker understands a git command, as far as its words are known before it runs. */
export function takesGit(words: readonly (string | undefined)[]): boolean {
  const [command = '', ...rest] = words
  const options = Object.hasOwn(OPTIONS, command) ? OPTIONS[command] : undefined
  if (!options) return false
  return rest.every(
    word => word === undefined || !word.startsWith('-') || word === '--' || knows(options, word),
  )
}

const knows = ({ flags, valued }: CommandOptions, word: string): boolean =>
  COMMON.includes(word) || flags.includes(word) || valued.test(word)

/** What becomes of a git command. `isReachable` says whether the sandbox itself reaches the place of a remote. */
export function planGit(
  words: readonly string[],
  facts: RepositoryFacts,
  recorded: RecordedRepository,
  isReachable: (url: string) => boolean,
): GitPlan {
  const [command = ''] = words
  const options = Object.hasOwn(OPTIONS, command) ? OPTIONS[command] : undefined
  if (!options)
    return refused(
      command.startsWith('-')
        ? `git ${command} is not possible with a command that contacts a remote. Leave it out.`
        : `git ${command} does not run outside the sandbox.`,
    )
  const read = readWords(words, options)
  if ('reason' in read) return refused(read.reason)
  const { flags, others } = read
  const remote = others[0] ?? defaultRemote(command, flags, facts, recorded)
  if (remote === undefined) return refused(`git ${command}: there is no remote to use. Name one.`)
  const known = recorded.remotes.find(({ name }) => name === remote)
  if (!known) {
    // Git inside says whether there is a repository.
    if (isPlace(remote)) return { kind: 'inside' }
    return refused(
      `git ${command}: ${remote} is not a remote that this repository had when the session began. Use the name of one (${recorded.remotes.map(({ name }) => name).join(', ') || 'there is none'}), or ask the user.`,
    )
  }
  if (isReachable(known.url) && isReachable(known.pushUrl)) return { kind: 'inside' }
  const asked = { command, flags, remote, refspecs: others.slice(1), facts }
  if (command === 'push') return planPush(asked)
  if (command === 'fetch') return planFetch(asked, recorded)
  if (command === 'pull') return planPull(asked, recorded)
  const bad = asked.refspecs.find(pattern => !/^[\w./*?-]+$/.test(pattern) || pattern.startsWith('-'))
  if (bad !== undefined) return refused(`git ls-remote: ${bad} is not a pattern that the broker understands.`)
  const args = ['ls-remote', ...flags, remote, ...asked.refspecs]
  return work('ls-remote', { shown: ['git', ...args], args, remotes: [remote] })
}

interface Asked {
  command: string
  flags: readonly string[]
  remote: string
  refspecs: readonly string[]
  facts: RepositoryFacts
}

const refused = (reason: string): GitPlan => ({ kind: 'refused', reason })

const work = (
  kind: GitWork['kind'],
  rest: Pick<GitWork, 'shown' | 'args' | 'remotes'> & Partial<GitWork>,
): GitWork => ({ pushed: [], upstream: undefined, skipHook: false, afterwards: undefined, ...rest, kind })

function readWords(
  [command = '', ...rest]: readonly string[],
  options: CommandOptions,
): { flags: string[]; others: string[] } | { reason: string } {
  const flags: string[] = []
  const others: string[] = []
  let isEnded = false
  for (const word of rest) {
    if (isEnded || !word.startsWith('-')) others.push(word)
    else if (word === '--') isEnded = true
    else if (knows(options, word)) flags.push(word)
    else return { reason: `git ${command} ${word} does not run outside the sandbox. Leave ${word} out.` }
  }
  const bad = others.find(
    word => word === '' || word.startsWith('-') || !/^[\x21-\x7e\u00a0-\uffff]+$/.test(word),
  )
  return bad === undefined
    ? { flags, others }
    : { reason: `git ${command}: ${JSON.stringify(bad)} is not a remote or a branch.` }
}

/** A path or an address, not the name of a remote. */
const isPlace = (text: string): boolean => /^(\.{0,2}\/|file:\/\/|\.\.?$)/.test(text)

function defaultRemote(
  command: string,
  flags: readonly string[],
  { head, settings }: RepositoryFacts,
  { remotes }: RecordedRepository,
): string | undefined {
  if (command === 'fetch' && flags.includes('--all')) return remotes[0]?.name
  const branch = head?.replace(/^refs\/heads\//, '')
  const setting = (key: string) => settings.find(([name]) => name === key)?.[1]
  const named = [
    ...(command === 'push' ? [setting(`branch.${branch}.pushremote`), setting('remote.pushdefault')] : []),
    setting(`branch.${branch}.remote`),
  ].find(name => name !== undefined)
  if (named !== undefined) return named
  return remotes.some(({ name }) => name === 'origin')
    ? 'origin'
    : remotes.length === 1
      ? remotes[0]?.name
      : undefined
}

/** A branch or tag name that git accepts and that is nothing but a name. */
export const isRefName = (name: string): boolean =>
  name.length <= 255 &&
  /^[^\x00-\x20\x7f~^:?*[\\]+$/.test(name) &&
  !name.startsWith('-') &&
  !name
    .split('/')
    .some(part => part === '' || /^[.-]/.test(part) || part.endsWith('.lock') || part.endsWith('.')) &&
  !name.includes('..') &&
  !name.includes('@{') &&
  name !== '@'

function planPush({ flags, remote, refspecs, facts }: Asked): GitPlan {
  const wanted = refspecs.length > 0 ? refspecs : [facts.head ?? '']
  const pushed: { source: string; target: string; force: boolean }[] = []
  for (const refspec of wanted) {
    const update = readPush(refspec, facts)
    if ('reason' in update) return refused(`git push: ${update.reason}`)
    pushed.push(update)
  }
  const passed = flags.filter(flag => !/^(-u|--set-upstream)$/.test(flag) && !HOOK_OPTIONS.has(flag))
  const specs = pushed.map(({ source, target, force }) => `${force ? '+' : ''}${source}:${target}`)
  const shownSpecs = pushed.map(({ source, target, force }) => {
    const [from, to] = [shortName(source), shortName(target)]
    return `${force ? '+' : ''}${from === to ? to : `${from}:${to}`}`
  })
  const [first] = pushed
  const isUpstream =
    flags.some(flag => /^(-u|--set-upstream)$/.test(flag)) &&
    pushed.length === 1 &&
    first?.source.startsWith('refs/heads/')
  return work('push', {
    shown: ['git', 'push', ...flags, remote, ...shownSpecs],
    args: ['push', '--no-verify', '--no-recurse-submodules', '--no-signed', ...passed, remote, ...specs],
    remotes: [remote],
    pushed,
    upstream: isUpstream && first ? { branch: shortName(first.source), merge: first.target } : undefined,
    skipHook: flags.includes('--no-verify'),
  })
}

const shortName = (ref: string): string => ref.replace(/^refs\/heads\//, '')

function readPush(
  refspec: string,
  facts: RepositoryFacts,
): { source: string; target: string; force: boolean } | { reason: string } {
  const force = refspec.startsWith('+')
  const plain = force ? refspec.slice(1) : refspec
  const at = plain.indexOf(':')
  const from = at < 0 ? plain : plain.slice(0, at)
  const to = at < 0 ? undefined : plain.slice(at + 1)
  if (from === '')
    return {
      reason: to
        ? 'it would delete a branch of the remote. Ask the user.'
        : 'HEAD is not on a branch. Name one.',
    }
  const source = fullName(from === '@' ? 'HEAD' : from, facts)
  if (source === undefined) return { reason: `there is no branch or tag ${from}.` }
  const named = to ?? (/^refs\/(heads|tags)\//.test(source) ? source : undefined)
  if (named === undefined) return { reason: `name the branch of the remote: ${from}:BRANCH.` }
  const target = /^refs\//.test(named) ? named : `refs/heads/${named}`
  if (!/^refs\/(heads|tags)\/./.test(target) || !isRefName(target))
    return { reason: `${named} is not a branch or tag of the remote.` }
  return { source, target, force }
}

/** The full name of a branch or tag; an id or an expression such as `HEAD~1` as it is. */
function fullName(name: string, { head, headId, refs }: RepositoryFacts): string | undefined {
  if (name === 'HEAD') return head ?? headId
  const found = [name, `refs/tags/${name}`, `refs/heads/${name}`, `refs/${name}`].find(
    full => full.startsWith('refs/') && refs.some(({ ref }) => ref === full),
  )
  if (found) return found
  if (/^[0-9a-f]{7,64}$/.test(name)) return name
  return /^(HEAD|[\w./-]+)([~^]\d{0,4})+$/.test(name) && !name.startsWith('-') ? name : undefined
}

function planFetch({ flags, remote, refspecs, facts }: Asked, recorded: RecordedRepository): GitPlan {
  const isAll = flags.includes('--all')
  for (const refspec of refspecs) {
    const [, from = '', , to] = /^\+?([^:]*)(:(.*))?$/.exec(refspec) ?? []
    if (
      isAll ||
      !isRefName(from.replaceAll('*', 'x')) ||
      (to !== undefined && !isRefName(to.replaceAll('*', 'x')))
    )
      return refused(`git fetch: ${refspec} is not something that the broker can fetch.`)
    const target = to === undefined ? undefined : to.startsWith('refs/') ? to : `refs/heads/${to}`
    if (target !== undefined && !/^refs\/(heads|tags|remotes)\/./.test(target))
      return refused(`git fetch: ${to} is not a branch or tag.`)
    if (target !== undefined && (target === facts.head || target.includes('*')))
      return refused(`git fetch: it would change ${target}. Fetch ${from} without a target, then merge it.`)
  }
  const args = [...flags, ...(isAll ? [] : [remote]), ...refspecs]
  return work('fetch', {
    shown: ['git', 'fetch', ...args],
    args: ['fetch', '--no-recurse-submodules', '--no-auto-maintenance', ...args],
    remotes: isAll ? recorded.remotes.map(({ name }) => name) : [remote],
  })
}

/** A fetch, then a pull from the repository itself, which needs no remote. */
function planPull(asked: Asked, recorded: RecordedRepository): GitPlan {
  const { flags, remote, refspecs, facts } = asked
  const branch = facts.head?.replace(/^refs\/heads\//, '')
  const setting = (key: string) => facts.settings.find(([name]) => name === key)?.[1]
  const merge = setting(`branch.${branch}.remote`) === remote ? setting(`branch.${branch}.merge`) : undefined
  const wanted = refspecs[0] ?? merge?.replace(/^refs\/heads\//, '')
  if (refspecs.length > 1 || wanted === undefined || !isRefName(wanted) || wanted.includes(':'))
    return refused('git pull: name the remote and one branch.')
  const fetch = planFetch(
    { ...asked, command: 'fetch', flags: flags.filter(flag => OF_FETCH.has(flag)), refspecs: [] },
    recorded,
  )
  if (fetch.kind === 'refused' || fetch.kind === 'inside') return fetch
  const own = flags.filter(flag => !/^(-p|--prune)$/.test(flag))
  return { ...fetch, afterwards: ['pull', ...own, '.', `refs/remotes/${remote}/${wanted}`] }
}
