import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { BrokerCall, Mirror, RecordedRepository } from '../../ports/broker.ts'
import { Exit, Facts } from './broker-messages.ts'
import { namesRemote } from './broker-takes.ts'
import { type BrokeredCall, refuse, refusedByChain, requestOf } from './brokered-call.ts'
import { commandText } from './command-text.ts'
import { type GitWork, isRefName, planGit } from './plan-git.ts'

/**
 * Does outside what a git command needs there. `argv` are its words, unless they are the call's own; `isDecided`: the command
 * that needs this has been through the permission chain itself.
 */
export async function runGit(
  work: BrokeredCall,
  { argv, isDecided = false }: { argv?: readonly string[]; isDecided?: boolean } = {},
): Promise<number> {
  const { parts, session, brokered, call } = work
  const facts = Facts.parse(await call.order({ do: 'describe' }))
  const recorded = [...brokered.repositories.values()].find(({ worktree }) => worktree === facts.top)
  const runInside = async () => Exit.parse(await call.order(argv ? { do: 'git', args: argv } : { do: 'own' }))
  // Another repository: what it can reach is inside.
  if (!recorded)
    return argv ? refuse(work, `${facts.top ?? call.cwd} is not this session's project.`) : runInside()
  const visible = [recorded.worktree, ...brokered.writable]
  const plan = planGit(argv ?? call.argv, facts, recorded, url => isVisible(url, visible))
  if (plan.kind === 'inside') return runInside()
  if (plan.kind === 'refused') return refuse(work, plan.reason)
  const mirror = await parts.outside.mirror(session, {
    repository: recorded,
    refs: facts.refs,
    head: facts.head,
    shallow: facts.shallow,
    settings: facts.settings.filter(
      ([key, value]) => /^branch\..+\.(remote|merge)$/.test(key) && isRefName(value),
    ),
  })
  try {
    return await runPlan(work, plan, { recorded, mirror, facts, isDecided })
  } finally {
    await mirror.remove()
  }
}

/** Records which branch of a recorded remote a branch follows, as git does when it makes a branch from one. */
export async function recordUpstream(work: BrokeredCall): Promise<number> {
  const { parts, session, brokered, call } = work
  const facts = Facts.parse(await call.order({ do: 'describe' }))
  const recorded = [...brokered.repositories.values()].find(({ worktree }) => worktree === facts.top)
  const [option = '', branch = '', ...rest] = call.argv
  const [, remote = '', target = ''] = /^--set-upstream-to=([^/]+)\/(.+)$/.exec(option) ?? []
  const has = (ref: string) => facts.refs.some(each => each.ref === ref)
  const isKnown = recorded?.remotes.some(({ name }) => name === remote) === true
  if (
    !(recorded && isKnown && rest.length === 0 && isRefName(branch) && isRefName(target)) ||
    !has(`refs/heads/${branch}`) ||
    !has(trackingRef(remote, target))
  ) {
    call.err(`note: which branch ${branch} follows was not recorded.\n`)
    return 1
  }
  const problem = await parts.outside.setUpstream(recorded, branch, remote, `refs/heads/${target}`)
  call.err(problem ?? `branch '${branch}' set up to track '${remote}/${target}'.\n`)
  const command = commandText(['git', 'branch', option, branch])
  await parts.record(session, { command, cwd: call.cwd, exit: problem ? 1 : 0 })
  return problem ? 1 : 0
}

interface Running {
  recorded: RecordedRepository
  mirror: Mirror
  facts: Facts
  isDecided: boolean
}

async function runPlan(
  work: BrokeredCall,
  plan: GitWork,
  { recorded, mirror, facts, isDecided }: Running,
): Promise<number> {
  const { parts, session, call } = work
  const pushed: { commit: string; source: string; target: string }[] = []
  for (const { source, target } of plan.pushed) {
    const commit = await mirror.resolve(source)
    if (commit === undefined)
      return refuse(work, `git push: ${source} is not a commit of this repository.`, plan.shown)
    pushed.push({ commit, source, target })
  }
  if (plan.kind === 'push' && !plan.skipHook) {
    const remote = recorded.remotes.find(({ name }) => name === plan.remotes[0])
    const ids = new Map(facts.refs.map(({ ref, id }) => [ref, id]))
    const updates = pushed.map(({ commit, source, target }) => ({
      source,
      sourceId: commit,
      target,
      targetId: ids.get(trackingRef(remote?.name ?? '', target)) ?? '0'.repeat(commit.length),
    }))
    const order = {
      do: 'pre-push',
      remote: remote?.name ?? '',
      url: withoutLogin(remote?.pushUrl ?? ''),
      updates,
    } as const
    const code = Exit.parse(await call.order(order))
    if (code !== 0) {
      call.err('error: the pre-push hook failed; nothing was pushed\n')
      return code
    }
  }
  const request = requestOf(work, plan.shown, recorded.worktree)
  const isClear = recorded.remotes.length === 1 || namesRemote(call.argv)
  const refused = isDecided ? undefined : await refusedByChain(work, request, { head: facts.head, isClear })
  if (refused !== undefined) return refused
  if (call.signal.aborted) return 1
  const exit = await mirror.run(plan.args, call)
  await parts.record(session, {
    ...(isDecided ? {} : { request }),
    command: commandText(plan.shown),
    cwd: call.cwd,
    exit,
    ...(pushed.length > 0 ? { pushed: pushed.map(({ commit, target }) => ({ commit, target })) } : {}),
  })
  const taken = await handBack(call, plan, mirror, facts)
  if (plan.kind === 'push' && exit === 0 && plan.upstream && !plan.args.includes('--dry-run')) {
    const { branch, merge } = plan.upstream
    const problem = await parts.outside.setUpstream(recorded, branch, plan.remotes[0] ?? '', merge)
    call.err(problem ?? `branch '${branch}' set up to track '${plan.remotes[0]}/${shortened(merge)}'.\n`)
  }
  if (exit !== 0 || taken !== 0) return exit || taken
  return plan.afterwards ? Exit.parse(await call.order({ do: 'git', args: plan.afterwards })) : 0
}

/** The objects and refs that the mirror has now and the program's repository has not. */
async function handBack(call: BrokerCall, plan: GitWork, mirror: Mirror, facts: Facts): Promise<number> {
  if (plan.kind === 'ls-remote') return 0
  const before = new Map(facts.refs.map(({ ref, id }) => [ref, id]))
  const after = new Map((await mirror.refs()).map(({ ref, id }) => [ref, id]))
  const updates = [
    ...[...after].flatMap(([ref, id]) => (before.get(ref) === id ? [] : [{ ref, id }])),
    ...[...before.keys()].flatMap(ref => (after.has(ref) ? [] : [{ ref, id: undefined }])),
  ]
  const packs = plan.kind === 'fetch' ? await mirror.packs() : []
  const fetchHead = plan.kind === 'fetch' ? await mirror.fetchHead() : undefined
  if (updates.length === 0 && packs.length === 0 && fetchHead === undefined) return 0
  const answer = call.order({ do: 'take', packs: packs.length, updates, fetchHead })
  for (const pack of packs) await call.send(pack)
  return Exit.parse(await answer)
}

/** Whether a remote is a folder that commands in the sandbox reach, and whose hooks they could have changed. */
function isVisible(url: string, visible: readonly string[]): boolean {
  const path = url.startsWith('file://') ? url.slice('file://'.length) : url
  return path.startsWith('/') && visible.some(folder => isInside(path, folder))
}

const trackingRef = (remote: string, target: string): string => `refs/remotes/${remote}/${shortened(target)}`
const shortened = (ref: string): string => ref.replace(/^refs\/heads\//, '')
const withoutLogin = (url: string): string => url.replace(/\/\/[^@/]*@/, '//')
