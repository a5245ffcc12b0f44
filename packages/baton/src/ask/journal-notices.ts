import type { Entry } from '@batonpass/contract/journal'
import type { News } from '../ports/channel.ts'

/** The notice for a journal entry, if it deserves one, in addition to the notices that capabilities send. Pure. */
export function noticeOfEntry({ body, project, session, agent }: Entry): News | undefined {
  if (project === undefined) return undefined
  const about = { project, session }
  const name = project.split('/').at(-1) ?? project
  if (
    body.kind === 'event' &&
    body.event.type === 'Idle' &&
    body.event.kind === 'idle' &&
    !body.event.subagent
  )
    return {
      ...about,
      kind: 'needs-input',
      text: `💬 ${agent ?? 'An agent'} is waiting for input in ${name}`,
    }
  if (body.kind === 'cycle' && body.what === 'completed')
    return {
      ...about,
      kind: 'handoff',
      text: `🔁 ${name} continues in a fresh session${body.document ? ` (${body.document})` : ''}`,
    }
  if (body.kind === 'cycle' && body.what === 'person')
    return {
      ...about,
      kind: 'needs-input',
      text: `🔁 The handoff in ${name} needs you: ${body.reason ?? body.step}`,
    }
  return undefined
}
