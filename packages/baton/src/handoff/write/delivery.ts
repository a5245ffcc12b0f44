import type { EventOf } from '@batonpass/contract/event'
import { NativeId } from '@batonpass/contract/ids'
import type { Contribution } from '../../ports/contribution.ts'
import { sessionId } from '../../session/id.ts'
import { handoffContext } from '../context-form.ts'
import { HANDOFFS } from '../document-name.ts'
import type { Waiting } from './handoff-memory.ts'
import type { GenerationPorts } from './ports.ts'

/** Gives a session the document that it begins with. */
export async function deliverDocument(
  { memory, files, journal, continues }: GenerationPorts,
  { session, nativeSession, agent }: EventOf<'SessionStarted' | 'PromptSubmitted'>,
  project: string,
  { document, from, fromAgent }: Pick<Waiting, 'document' | 'from' | 'fromAgent'>,
): Promise<Contribution> {
  // A person may have edited the document, or deleted it: that counts.
  const read = await files.read(project, document).catch(() => undefined)
  if (!read) return {}
  if (from && fromAgent && NativeId.safeParse(from).success)
    await continues?.(session, sessionId(fromAgent, from))
  await memory.receive(session, { document, ...(from ? { from } : {}) })
  await journal(
    { session, nativeSession, agent, project },
    { kind: 'handoff', what: 'received', document, ...(from ? { from } : {}) },
  )
  return {
    context: handoffContext(files.clean(read.document), `${HANDOFFS}/${document}`),
    notice: `This session begins with ${HANDOFFS}/${document}.`,
  }
}

/** The document that waits at the session's own place, else the one that waits in its project. */
export async function waitingFor(
  { memory }: GenerationPorts,
  session: string,
  project: string,
  place: string | undefined,
): Promise<{ waiting: Waiting; at: string | undefined } | undefined> {
  for (const at of place === undefined ? [undefined] : [place, undefined]) {
    const waiting = await memory.waiting(project, at)
    // The same session may ask again, when its first answer was lost.
    if (waiting && (waiting.deliveredTo === undefined || waiting.deliveredTo === session))
      return { waiting, at }
  }
  return undefined
}
