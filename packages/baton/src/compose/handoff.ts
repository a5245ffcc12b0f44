import type { SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import { readerOf } from '../adapters/agents/readers.ts'
import { systemGit } from '../adapters/git/git.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { batonHome, type Environment } from '../config/places.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import { type UserAnswer, userAnswers } from '../handoff/journal-answers.ts'
import { HandoffGeneration } from '../handoff/write/generation.ts'
import { HandoffMemory, inMemoryStateFiles } from '../handoff/write/handoff-memory.ts'
import { handoffReactor } from '../handoff/write/reactor.ts'
import type { Redactor } from '../journal/redact.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { Store } from '../ports/store.ts'
import { readTest } from '../session/transcript/test-runs.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { currentStageText } from '../work/stages/work-status.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { newEntry } from './new-entry.ts'

export interface HandoffParts {
  env: Environment
  home: string
  stateDir: string
  inMemory?: boolean
  redactor: Redactor
  write(entries: readonly NewEntry[]): Promise<unknown>
  /** Where the successor of a session will start, if a cycle asked for the document. */
  placeOf?(session: string): string | undefined
  /** Called when a session continues the work of another. */
  continues?(session: SessionId, parent: SessionId): Promise<void>
  /** Called when a handoff document was written. */
  written?(session: SessionId, document: string): void
  /** The journal, for the prompts of sessions without a transcript. */
  store?: Pick<Store, 'entries'>
}

const KEPT_MS = 60 * 24 * 3_600_000

/** Builds `/handoff` for use inside agents. */
export function composeHandoff(parts: HandoffParts): {
  reactor: Reactor
  generation: HandoffGeneration
  files: HandoffFiles
  /** Whether the session is writing a handoff document; its stops then belong to the handoff. */
  busy(session: SessionId): Promise<boolean>
  /** Deletes old handoff state that no session will ask for again. */
  tidy(): Promise<void>
} {
  const states = new StateFiles(systemSmallFiles, batonHome(parts.env, parts.home))
  const kept = parts.inMemory ? inMemoryStateFiles() : systemSmallFiles
  const items = new WorkItems(systemSmallFiles, systemFolders)
  const files = new HandoffFiles(systemSmallFiles, systemGit, parts.redactor)
  const memory = new HandoffMemory(kept, parts.stateDir)
  const generation = new HandoffGeneration({
    evidence: { git: systemGit, files: systemFiles, readTest },
    files,
    memory,
    readerOf,
    ...(parts.continues ? { continues: parts.continues } : {}),
    promptsOf: session => promptsOf(parts.store, session),
    answersOf: session => answersOf(parts.store, session),
    async workOf(project, nativeSession) {
      const found = await states.read(states.rootFor(project), nativeSession)
      const stage = await currentStageText(items, systemGit, project).catch(() => undefined)
      const state = found.kind === 'state' ? { issue: found.state.issue_no, pr: found.state.pr_number } : {}
      return { ...state, stage }
    },
    async journal(about, body) {
      await parts.write([newEntry(body, about)])
      if (body.what === 'written' && body.document) parts.written?.(about.session, body.document)
    },
  })
  return {
    reactor: handoffReactor(generation, parts.placeOf),
    generation,
    files,
    busy: async session => (await generation.wanted(session)) !== undefined,
    tidy: () => memory.tidy(systemClock.now() - KEPT_MS),
  }
}

const MAX_PROMPTS = 100
const MAX_ANSWERS = 1000

/** The last answers that the user gave the session through Baton. */
async function answersOf(store: HandoffParts['store'], session: SessionId): Promise<UserAnswer[]> {
  const entries = await store?.entries({ session, kind: 'ask', order: 'desc', limit: MAX_ANSWERS })
  return userAnswers(entries?.toReversed() ?? [])
}

/** The prompts that a session received: the first and the last ones. */
async function promptsOf(store: HandoffParts['store'], session: SessionId): Promise<string[]> {
  if (!store) return []
  const about = { session, type: 'PromptSubmitted', limit: MAX_PROMPTS }
  const first = await store.entries(about)
  const last = first.length < MAX_PROMPTS ? [] : await store.entries({ ...about, order: 'desc' })
  const all = new Map([...first, ...last.toReversed()].map(entry => [entry.seq, entry.body]))
  return [...all.values()].flatMap(body =>
    body.kind === 'event' && body.event.type === 'PromptSubmitted' && !body.event.automatic
      ? [body.event.prompt]
      : [],
  )
}
