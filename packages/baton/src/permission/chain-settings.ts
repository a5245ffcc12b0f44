import type { Config } from '@batonpass/contract/config'
import type { PermissionMode } from '@batonpass/contract/event'
import type { ToolEvent } from './ask-for.ts'
import type { ChainSettings } from './chain.ts'

/** What the user told the agent not to ask about by choosing a permission mode. */
const UNASKED: Readonly<Record<PermissionMode, 'nothing' | 'edits' | 'everything'>> = {
  default: 'nothing',
  plan: 'nothing',
  'accept-edits': 'edits',
  auto: 'everything',
  'never-ask': 'everything',
  bypass: 'everything',
}

/**
 * How far the chain may go for a call, by the settings and the agent's permission mode. `hasModel`: a model may be asked.
 */
export function chainSettings(
  { undo, undecided: setting }: Pick<Config['permission'], 'undo' | 'undecided'>,
  event: Pick<ToolEvent, 'type' | 'action'>,
  mode: PermissionMode | undefined,
  hasModel: boolean,
): ChainSettings {
  const undecided = undecidedFor(setting, event, mode)
  if (mode === 'plan') {
    // An allow does not count there before the dialog, and the dialog is a person's yes to the plan.
    return event.type === 'PermissionAsked'
      ? { undo, undecided, model: hasModel, personOnly: true }
      : { undo: false, undecided, model: false }
  }
  // Where the agent's mode decides, a model's call would cost the user's quota and delay every command, to guard someone
  // who chose not to be asked: `auto` has a model of its own, and rules deny what must be denied.
  const isLeft = setting === 'respect' && undecided === 'leave'
  return { undo, undecided, model: hasModel && !isLeft }
}

/**
 * Who gets a call that nothing decided: `ask` a person, or `leave` it to the agent's own permission mode. `respect` never
 * asks more than that mode would. A mode that Baton cannot tell counts as a default mode.
 */
export function undecidedFor(
  setting: Config['permission']['undecided'],
  event: Pick<ToolEvent, 'type' | 'action'>,
  mode: PermissionMode | undefined,
): 'ask' | 'leave' {
  if (setting !== 'respect') return setting === 'defer' ? 'leave' : 'ask'
  // The agent's own dialog is open: its mode asks already, so the other channels may offer the same question.
  if (event.type === 'PermissionAsked') return 'ask'
  const unasked = mode === undefined ? 'nothing' : UNASKED[mode]
  return unasked === 'everything' || (unasked === 'edits' && event.action.kind === 'write') ? 'leave' : 'ask'
}
