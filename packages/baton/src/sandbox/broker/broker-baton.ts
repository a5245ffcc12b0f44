import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { InsideSteps } from '../../ports/broker.ts'
import { runGit } from './broker-git.ts'
import { Exit } from './broker-messages.ts'
import { type BrokeredCall, readInside, refuse, refusedByChain, requestOf } from './brokered-call.ts'
import { commandText } from './command-text.ts'
import { planBaton } from './plan-baton.ts'
import { isRefName } from './plan-git.ts'

/** Runs one of Baton's own commands outside, for exactly the session whose sandbox asks. */
export async function runBaton(work: BrokeredCall): Promise<number> {
  const { parts, session, brokered, call } = work
  const plan = planBaton(call.argv)
  if (plan.kind === 'refused') return refuse(work, plan.reason)
  // The person's answer is the decision: rules about commands have no say.
  if (plan.kind === 'request') {
    const { isGranted, line } = await parts.requestAccess(session, plan.access, call.signal)
    const exit = isGranted ? 0 : 1
    await parts.record(session, { command: commandText(plan.shown), cwd: call.cwd, exit })
    if (isGranted) call.out(Buffer.from(`${line}\n`))
    else call.err(`baton: ${line}\n`)
    return exit
  }
  let input = ''
  if (plan.input !== undefined) {
    const read = await readInside(call, plan.input)
    if ('error' in read) return refuse(work, `baton: ${read.error}.`, plan.shown)
    input = read.text
  }
  const folder =
    [...brokered.repositories.keys()].find(worktree => isInside(call.cwd, worktree)) ?? brokered.worktree
  const request = plan.isHelp ? undefined : requestOf(work, plan.shown, folder)
  const refused = request && (await refusedByChain(work, request))
  if (refused !== undefined) return refused
  if (call.signal.aborted) return 1
  const exit = await parts.outside.runBaton(
    session,
    plan.args,
    { folder, input, inside: insideSteps(work, folder) },
    call,
  )
  await parts.record(session, { request, command: commandText(plan.shown), cwd: call.cwd, exit })
  return exit
}

/** What a command of Baton's must not do outside, because it would run what the agent wrote. */
function insideSteps(work: BrokeredCall, folder: string): InsideSteps {
  const { brokered, call } = work
  return {
    check: async text => Exit.parse(await call.order({ do: 'shell', text })),
    async push(branch, force) {
      const { remotes = [] } = brokered.repositories.get(folder) ?? {}
      const remote = remotes.find(({ name }) => name === 'origin') ?? remotes[0]
      if (!remote || !isRefName(branch)) return { code: 1, text: 'There is no remote to push to.' }
      let text = ''
      const add = (chunk: string | Uint8Array) => {
        text = (text + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))).slice(-8000)
      }
      const ref = `refs/heads/${branch}`
      const argv = ['push', ...(force ? ['--force-with-lease'] : []), '-u', remote.name, `${ref}:${ref}`]
      const code = await runGit({ ...work, call: { ...call, out: add, err: add } }, { argv, isDecided: true })
      return { code, text }
    },
  }
}
