import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import { readerOf } from '../adapters/agents/readers.ts'
import { systemGit } from '../adapters/git/git.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { HANDOFFS_FOLDER } from '../handoff/document-name.ts'
import { gatherEvidence } from '../handoff/evidence.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import { fromEvidenceAlone, storeChecked } from '../handoff/write/document-writer.ts'
import { HandoffMemory } from '../handoff/write/handoff-memory.ts'
import type { Redactor } from '../journal/redact.ts'
import { readTest } from '../session/transcript/test-runs.ts'

/**
 * Writes the handoff document of a session that ends a stage, from evidence alone, and stores it for the next session.
 * Returns its path relative to the project's root.
 */
export function stageHandoff(stateDir: string, redactor: Redactor) {
  const files = new HandoffFiles(systemSmallFiles, systemGit, redactor)
  const memory = new HandoffMemory(systemSmallFiles, stateDir)
  return async (
    session: Session,
    {
      stage,
      focus,
      place,
    }: { stage?: string | undefined; focus?: string | undefined; place?: string | undefined },
  ): Promise<string> => {
    const { agent, nativeSession, transcript } = session
    const root = session.project ?? session.cwd
    const reader = readerOf(agent)
    if (root === undefined)
      throw new BatonError('nothing_to_hand_off', 'Baton does not know the folder of this session')
    const subject = { root, agent, session: nativeSession, stage }
    const from = transcript && reader ? { path: transcript, reader } : undefined
    const evidence = await gatherEvidence(
      { git: systemGit, files: systemFiles, readTest },
      { ...subject, transcript: from },
    ).catch(() => gatherEvidence({ git: systemGit, files: systemFiles, readTest }, subject))
    // The opening prompt of the ending stage is not an instruction for the next stage.
    const { transcript: seen } = evidence
    const isAsked = (text: string) => !OPENING.test(text)
    const kept = {
      ...evidence,
      transcript: seen && {
        ...seen,
        instructions: seen.instructions.filter(isAsked),
        facts: seen.facts && { ...seen.facts, instructions: seen.facts.instructions.filter(isAsked) },
      },
    }
    const now = systemClock.now()
    const parent = (await memory.received(session.id))?.document
    const { name } = await storeChecked(files, fromEvidenceAlone(kept), { root, now, focus, parent })
    // If the place of the next stage is known, no other session of the project gets the document.
    await memory.await(root, { document: name, from: nativeSession, writtenBy: 'baton' }, place)
    return `${HANDOFFS_FOLDER}/${name}`
  }
}

const OPENING = /^\s*Work ID: [a-z0-9-]+\s*\n/
