import type { PermissionJudgement } from '@batonpass/contract/permission'

/** What comes next for a request that the rules have judged. */
export type NextLink =
  | { link: 'decided'; decision: 'allow' | 'deny' }
  /** Take a snapshot and allow; if that fails, continue without one. */
  | { link: 'undo' }
  | { link: 'model' }
  | { link: 'person' }
  | { link: 'defer' }

export interface ChainSettings {
  undo: boolean
  /** A model may be asked, and there is one. */
  model: boolean
  /** Who gets what nothing decides: a person, or the agent's own permission mode. */
  undecided: 'ask' | 'leave'
  /** The agent insists on a person, so nothing else says yes. */
  personOnly?: boolean
}

/**
 * The order of the chain: rules (a workflow's own among them), then undo, then a model, then a person.
 * `tried` holds the links that did not decide. Only what is undecided can be lifted by a snapshot or a model.
 */
export function nextLink(
  judgement: PermissionJudgement,
  settings: ChainSettings,
  tried: ReadonlySet<NextLink['link']> = new Set(),
): NextLink {
  const { decision } = judgement
  if (decision === 'deny') return { link: 'decided', decision }
  if (settings.personOnly || decision === 'ask') return { link: 'person' }
  if (decision === 'allow') return { link: 'decided', decision }
  if (settings.undo && judgement.reversible && !tried.has('undo')) return { link: 'undo' }
  // What cannot be known before it runs is no question for a model either.
  if (settings.model && judgement.effects.unknown.length === 0 && !tried.has('model'))
    return { link: 'model' }
  return settings.undecided === 'leave' ? { link: 'defer' } : { link: 'person' }
}
