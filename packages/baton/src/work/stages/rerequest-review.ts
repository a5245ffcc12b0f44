import type { Session } from '@batonpass/contract/session'
import type { HandoffMode } from '@batonpass/contract/work'
import { rowOf } from '../packs/paw/stage-table.ts'
import type { StagePorts } from './ports.ts'
import { afterAddressing, checkInstruction } from './resolve-command.ts'
import { askAgain } from './review-comments.ts'
import type { Binding, DueStage } from './stage-memory.ts'

/**
 * A stage that addressed review comments has stopped. Returns the stage that checks the result; after the last stage,
 * asks the reviewers to review again.
 */
export function rerequestReview(
  ports: StagePorts,
  binding: Binding,
  pull: number,
  mode: HandoffMode,
  session: Session,
): DueStage | undefined {
  const { project, workId, stage, phase } = binding
  const next = stage && afterAddressing(stage)
  if (!next) {
    // Do not wait: the forge may be slow, and the agent waits for the answer to its stop.
    void askReviewers(ports, binding, pull, session).catch(cause =>
      ports.fault('asking for another review', cause),
    )
    return undefined
  }
  // In manual mode, a person types `review` first.
  if (mode === 'manual') return undefined
  return {
    project,
    workId,
    target: rowOf(next).agent,
    stage: next,
    instruction: checkInstruction(pull),
    from: session.id,
    at: ports.now(),
    state: 'called',
    tries: 0,
    ...(phase ? { phase } : {}),
  }
}

async function askReviewers(
  ports: StagePorts,
  { project, workId, stage, phase }: Binding,
  pull: number,
  session: Session,
): Promise<void> {
  const who = await askAgain(ports, project, pull)
  if (who.length === 0) return
  const detail = `${who.join(', ')} to review pull request #${pull}`
  await ports.journal(
    { project, session },
    {
      kind: 'stage',
      what: 'asked-again',
      workId,
      detail,
      ...(stage ? { stage } : {}),
      ...(phase ? { phase } : {}),
    },
  )
  await ports.announce(project, `✅ ${workId}: asked ${detail} again`)
}
