import { AgentName } from '@batonpass/contract/event'
import { Grant } from '@batonpass/contract/grant'
import { NativeId, SessionId } from '@batonpass/contract/ids'
import { IssueChecks, WorkflowChecks } from '@batonpass/contract/proof'
import { EndKind } from '@batonpass/contract/workflow'
import { z } from 'zod'
import { readJsonFile, readJsonFiles } from '../../ports/json-files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { Evidence } from './evidence.ts'
import { Course } from './progress.ts'

const End = z.object({
  kind: EndKind,
  reason: z.string(),
  at: z.number(),
  /** The proof that decided it. */
  proof: z.string().optional(),
})

const Spent = z.object({ tokens: z.number(), money: z.number(), ms: z.number() })
export type Spent = z.infer<typeof Spent>

/** Baton's own record of a run, in addition to the state file. People do not edit it. */
export const Run = z.object({
  version: z.literal(1),
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  /** Where the state files are: BATON_HOME or the project. */
  root: z.string(),
  workflow: z.string(),
  issue: z.number().int().positive().optional(),
  startedAt: z.number(),
  /** When the last interval of counted working time ended. */
  seenAt: z.number(),
  transcript: z.string().optional(),
  pane: z.string().optional(),
  evidence: Evidence.default(() => Evidence.parse({})),
  course: Course.default(() => Course.parse({})),
  /** Running subagents, and when each started. */
  helpers: z.record(z.string(), z.number()).default({}),
  /** Everything that the run created on the forge. */
  marks: z.array(z.string()).default([]),
  pullRequest: z.string().optional(),
  /** What it may do outside by itself, as recorded when it began. */
  grant: Grant.optional(),
  end: End.optional(),
  /** The commit from which its work starts, recorded when it began. */
  base: z.string().optional(),
  /** The checks of its issue, recorded when it began: a run may edit its own issue. */
  issueChecks: IssueChecks.optional(),
  /** The forge did not answer when it began: its issue is read before the proof. */
  isIssueUnread: z.boolean().optional(),
  /** The checks of its workflow, recorded when it began: a run may edit the files of its project. */
  workflowChecks: WorkflowChecks.optional(),
  /** The agent ran `baton done`. */
  saidDone: z.boolean().default(false),
  /** The proof of the commit with which it says it is done, until the proof has ended and its result is carried out. */
  proof: z
    .object({
      id: z.string(),
      commit: z.string(),
      /** Why the work counts as delivered. */
      reason: z.string(),
      pullRequest: z.object({ number: z.number(), url: z.string() }).optional(),
      /** The agent's last message. */
      said: z.string().optional(),
      /** A person ended the run in its state file: a failed check does not go back to the agent. */
      final: z.boolean().optional(),
      /** Since when its record cannot be read. */
      unreadableSince: z.number().optional(),
      /** The state file was missing the last time that Baton looked. */
      isFileMissing: z.boolean().optional(),
      /** The session has ended, so nothing can go back to it. */
      closed: z.boolean().optional(),
    })
    .optional(),
  /** The branch is handed off to the session's claim: the run ends when the claim has opened the pull request. */
  awaitsClaim: z.boolean().default(false),
  /** When the record of the claim's proof could not be read for the first time. */
  proofUnreadableSince: z.number().optional(),
  /** What failed, until the agent has it. */
  sendBack: z.object({ prompt: z.string(), after: z.number(), tries: z.number().int() }).optional(),
  /** How often a failed proof went back to the agent, and how often in a row with the same failure. */
  failures: z.object({ count: z.number().int(), same: z.number().int(), failure: z.string() }).optional(),
  /** The agent was told once that its report contradicts the evidence. */
  reportReturned: z.boolean().default(false),
  /** A usage limit ended the turn; the run resumes at `until`, once. */
  parked: z
    .object({
      until: z.number(),
      reason: z.string(),
      resumed: z.boolean(),
      /** Consecutive limits without a successful turn in between. */
      tries: z.number().int(),
      /** How often its terminal was in use when it was due to resume. */
      busy: z.number().int().optional(),
    })
    .optional(),
  spent: Spent.default({ tokens: 0, money: 0, ms: 0 }),
  /** What was spent on each day; keys are YYYY-MM-DD. */
  days: z.record(z.string(), Spent).default({}),
  /** How far the transcript has been read for its usage, and the last counted reply. */
  reading: z.object({ offset: z.number(), message: z.string().optional() }).optional(),
  warned: z.array(z.string()).default([]),
  /** A continuation was sent and the agent has not reported since. */
  awaiting: z.boolean().default(false),
})
export type Run = z.infer<typeof Run>

/** Storage of runs: one small file each in the state folder, or memory without a state folder. */
export interface Runs {
  get(session: string): Promise<Run | undefined>
  put(run: Run): Promise<void>
  remove(session: string): Promise<void>
  all(): Promise<Run[]>
}

export function filedRuns(files: SmallFiles, stateDir: string): Runs {
  const nameOf = (session: string) => `workflow/${SessionId.parse(session)}.json`
  return {
    get: session => readJsonFile(files, stateDir, nameOf(session), Run),
    put: run => files.write(stateDir, nameOf(run.session), JSON.stringify(run), { hasty: true }),
    remove: async session => void (await files.remove(stateDir, nameOf(session))),
    all: () => readJsonFiles(files, stateDir, 'workflow', Run),
  }
}

/** Caches which sessions have a run. Most never have one, and only this process creates runs. */
export function cacheKnownSessions(runs: Runs): Runs {
  let known: Promise<Set<string>> | undefined
  const sessions = () => {
    known ??= runs.all().then(all => new Set(all.map(run => run.session)))
    return known
  }
  return {
    ...runs,
    get: async session => ((await sessions()).has(session) ? runs.get(session) : undefined),
    async put(run) {
      const all = await sessions()
      await runs.put(run)
      all.add(run.session)
    },
  }
}

export function runsInMemory(): Runs {
  const kept = new Map<string, Run>()
  return {
    get: async session => kept.get(session),
    put: async run => void kept.set(run.session, run),
    remove: async session => void kept.delete(session),
    all: async () => [...kept.values()],
  }
}
