import { EXIT, flag, type Handler } from '../command.ts'
import { workflowsHere } from '../local-workflows.ts'

/** Stops further continuations of a session. The agent finishes its turn; nothing is killed. */
export const stop: Handler = async (given, io) => {
  const { actions } = workflowsHere(io)
  const wanted = given.positionals[0] ?? ''
  const run = flag(given, 'dry-run') ? await actions.find(wanted) : await actions.stop(wanted)
  const { nativeSession: session, workflow, end } = run
  const then = end
    ? `it had ended already (${end.kind}), and does not begin again`
    : 'the agent stops at the end of its turn'
  const would = flag(given, 'dry-run') ? 'Would stop' : 'Stopped'
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify({ session, workflow, stopped: !flag(given, 'dry-run') })}\n`
      : `${would} continuing ${workflow} in ${session}; ${then}.\n`,
  )
  return EXIT.ok
}
