import { basename } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import type { News } from '../ports/channel.ts'
import type { ChooseResult } from '../ports/driver.ts'

/** Tells the person that Baton could not give their answer on the agent's screen. */
export function undeliveredNews(
  { session, agent, project }: { session: Session; agent: AgentName; project: string | undefined },
  answer: string,
  result: Exclude<ChooseResult, 'taken'>,
): News {
  const name = project ? basename(project) : 'its terminal'
  return {
    project: project ?? '/',
    session: session.id,
    kind: 'needs-input',
    text: `⚠️ Your answer "${answer}" did not reach ${agent} in ${name}: ${WHY_NOT[result]}. Look at its screen.`,
  }
}

const WHY_NOT: Record<Exclude<ChooseResult, 'taken'>, string> = {
  changed: 'the screen changed before Baton could choose it',
  'not-taken': 'the dialog did not close, perhaps because it waits for words',
  gone: 'its terminal is gone',
}
