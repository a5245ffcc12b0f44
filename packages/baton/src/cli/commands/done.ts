import { EXIT, flag, type Handler, text } from '../command.ts'
import { callingSession, workflowsHere } from '../local-workflows.ts'

/** Said by an agent in its own session: the goal is reached, or only a person can help. */
export const done: Handler = async (given, io) => {
  const { root, session } = await callingSession(io)
  const blocked = text(given, 'blocked')
  if (!flag(given, 'dry-run')) await workflowsHere(io).actions.done(root, session, blocked)
  const said = blocked === undefined ? 'done' : 'blocked'
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify({ session, state: said })}\n`
      : `Marked as ${said}: this session is not continued any more. You can stop now.\n`,
  )
  return EXIT.ok
}
