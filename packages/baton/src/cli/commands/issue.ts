import { BatonError } from '@batonpass/contract/errors'
import { EXIT, flag, type Handler } from '../command.ts'
import { sessionIdFor } from '../for-people.ts'
import { printable } from '../io.ts'
import { workflowsHere } from '../local-workflows.ts'
import { fitted } from '../wrap-words.ts'

/** Which session works on an issue. */
export const issue: Handler = async (given, io) => {
  const number = Number(/^#?([1-9]\d{0,8})$/.exec(given.positionals[0] ?? '')?.[1])
  if (!number) throw new BatonError('usage', 'ISSUE must be a number such as 42')
  const { actions, root } = workflowsHere(io)
  const found = await actions.byIssue(root, number)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ issue: number, ...found })}\n`)
  else if (!found) io.stdout.write(`No session works on issue #${number}.\n`)
  else {
    const { run } = found
    const end = run?.end ? `${run.end.kind}: ${printable(run.end.reason)}` : (run?.state ?? 'unknown')
    fitted(io)(`${sessionIdFor(found.session, io)}  ${found.workflow}  ${end}\n`)
    if (run?.pullRequest) io.stdout.write(`  ${printable(run.pullRequest)}\n`)
  }
  return found ? EXIT.ok : EXIT.failed
}
