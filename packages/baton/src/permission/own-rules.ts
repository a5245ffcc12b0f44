import { normalize } from 'node:path'
import type { EventOf } from '@batonpass/contract/event'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { AgentSandboxing, RulePlace } from '../ports/agent.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import { undecidedFor } from './chain-settings.ts'
import type { ContainmentPlace } from './containment.ts'
import { type CallContext, dialogFollows } from './links.ts'
import type { RulesOwner } from './sandbox-link.ts'

/** Whose files decide that an agent's own rules may apply to a command: what is so without the project's files is the user's. */
export function ownerOfRules(
  whyOwnText: (command: string, place: RulePlace) => string | undefined,
  command: string,
  place: RulePlace,
): RulesOwner | undefined {
  if (whyOwnText(command, place) === undefined) return undefined
  const isProjects = (path: string) =>
    [place.project, place.cwd].some(folder => isInside(normalize(path), folder))
  const withoutProject: RulePlace = {
    ...place,
    // Empty, not absent: a file that the command line names and that is absent counts as the user's.
    read: path => (isProjects(path) && place.read(path) !== undefined ? '{}' : place.read(path)),
    names: folder => (isProjects(folder) ? [] : place.names(folder)),
  }
  // A command may have chosen the folder in which the next one works.
  if (whyOwnText('', { ...withoutProject, cwd: place.project }) !== undefined) return 'user'
  return whyOwnText(command, withoutProject) === undefined ? 'project' : 'command'
}

/** Where a person says yes to what the broker does for a command. What Claude Code's own mode judges, it must see. */
export function brokerFor(
  event: EventOf<'ToolRequested'>,
  context: CallContext & Pick<ReactionContext, 'isContained'>,
  sandboxing: Pick<AgentSandboxing, 'ownJudge'> | undefined,
): ContainmentPlace['broker'] {
  const { attended, config, session, isContained } = context
  // The command runs as it is, so nothing ties a yes in the dialog to what it then wants from the broker.
  if (isContained) return 'person'
  const mode = event.mode ?? session.mode
  const isLeft = undecidedFor(config.permission.undecided, event, mode) === 'leave'
  const isOwnJudge = mode !== undefined && sandboxing?.ownJudge?.includes(mode) === true
  if (isLeft && isOwnJudge) return 'agent'
  if (dialogFollows(event, context)) return 'dialog'
  return attended === true ? 'rules' : 'person'
}
