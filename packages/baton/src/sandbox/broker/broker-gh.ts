import { Facts } from './broker-messages.ts'
import { type BrokeredCall, readInside, refuse, refusedByChain, requestOf } from './brokered-call.ts'
import { commandText } from './command-text.ts'
import { planGh } from './plan-gh.ts'

/** Runs gh outside, with the user's login. */
export async function runGh(work: BrokeredCall): Promise<number> {
  const { parts, session, brokered, call } = work
  const facts = Facts.parse(await call.order({ do: 'describe' }))
  const recorded = [...brokered.repositories.values()].find(({ worktree }) => worktree === facts.top)
  const plan = planGh(call.argv, facts.head, recorded ?? { remotes: [] })
  if (plan.kind === 'refused') return refuse(work, plan.reason)
  let input = ''
  if (plan.input !== undefined) {
    const read = await readInside(call, plan.input)
    if ('error' in read) return refuse(work, `gh: ${read.error}.`, plan.shown)
    input = read.text
  }
  const request = requestOf(work, plan.shown)
  const refused = await refusedByChain(work, request, {
    head: facts.head,
    isClear: recorded?.remotes.length === 1,
  })
  if (refused !== undefined) return refused
  const printed: Uint8Array[] = []
  let exit = 1
  try {
    if (call.signal.aborted) return exit
    exit = await parts.outside.runGh(session, plan.args, input, {
      signal: call.signal,
      err: text => call.err(text),
      out(chunk) {
        printed.push(chunk)
        call.out(chunk)
      },
    })
    await parts.record(session, { request, command: commandText(plan.shown), cwd: call.cwd, exit })
    return exit
  } finally {
    const output = exit === 0 ? Buffer.concat(printed).toString().slice(-KEPT_OUTPUT) : undefined
    await parts.ended(session, request, output)
  }
}

/** The link that gh prints is at the end; the answer to a query is needed as a whole. */
const KEPT_OUTPUT = 200_000
