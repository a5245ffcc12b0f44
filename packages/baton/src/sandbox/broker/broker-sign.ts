import { Facts } from './broker-messages.ts'
import { type BrokeredCall, readInside, refuse } from './brokered-call.ts'
import { parseCommitPayload, whyNotSigned } from './commit-payload.ts'

/** How git calls the program that signs: `--status-fd=2 -bsau KEY`, the commit on standard input. */
const isSigning = ([status, sign, ...rest]: readonly string[]): boolean =>
  status === '--status-fd=2' && sign === '-bsau' && rest.length === 1

/** Signs a commit that is being made in the session's project, with the user's key, which stays outside. */
export async function signCommit(work: BrokeredCall): Promise<number> {
  const { parts, session, brokered, call } = work
  const no = (why: string) => refuse(work, `This commit is not signed: ${why}.`, ['sign', 'commit'])
  if (!isSigning(call.argv))
    return no('only commits are signed, and signatures are not checked in the sandbox')
  const facts = Facts.parse(await call.order({ do: 'describe' }))
  const recorded = [...brokered.repositories.values()].find(({ worktree }) => worktree === facts.top)
  if (!recorded) return no("it is not made in this session's project")
  const user = await parts.signer(session, recorded.worktree)
  if (!user) return no('sandbox.sign_commits is off')
  const read = await readInside(call, '-')
  if ('error' in read) return no(read.error)
  const commit = parseCommitPayload(read.text)
  if (!commit) return no('it is not a commit')
  const why = whyNotSigned(commit, user, parts.now())
  if (why) return no(why)
  const mirror = await parts.outside.mirror(session, {
    repository: recorded,
    refs: [],
    head: undefined,
    shallow: facts.shallow,
    settings: [],
  })
  try {
    const names = [`${commit.tree}^{tree}`, ...commit.parents.map(id => `${id}^{commit}`)]
    for (const name of names)
      if ((await mirror.resolve(name)) === undefined) return no(`${name} is not in the repository`)
  } finally {
    await mirror.remove()
  }
  const signed = await parts.outside.sign(session, read.text)
  if ('error' in signed) return no(signed.error)
  const words = ['sign', 'commit', commit.subject]
  await parts.record(session, { command: words.join(' '), cwd: recorded.worktree, exit: 0 })
  call.out(Buffer.from(signed.signature))
  call.err('[GNUPG:] SIG_CREATED D\n')
  return 0
}
