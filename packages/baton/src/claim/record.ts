import { ClaimTrouble } from '@batonpass/contract/claim'
import { AgentName } from '@batonpass/contract/event'
import { Grant } from '@batonpass/contract/grant'
import { ClaimId, NativeId, SessionId } from '@batonpass/contract/ids'
import { IssueChecks } from '@batonpass/contract/proof'
import { z } from 'zod'
import { readJsonFiles } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'

/** A piece of news that the agent has not received yet. */
const PendingNews = z.object({
  kind: z.string(),
  text: z.string(),
  /** The agent has to act on it. */
  act: z.boolean(),
})
export type PendingNews = z.infer<typeof PendingNews>

/** Baton's own record of a claim, in addition to the signal file. People do not edit it. */
export const ClaimRecord = z.object({
  version: z.literal(1),
  id: ClaimId,
  issue: z.number().int().positive(),
  title: z.string().default(''),
  /** The worktree with the signal file. */
  project: z.string(),
  /** The clone in which the issue was claimed: the worktree itself, or the one it was created from. */
  home: z.string(),
  /** `host/owner/name`, lower case. */
  repository: z.string(),
  branch: z.string(),
  /** Made from a signal file written by hand, possibly by an agent: Baton pushes nothing for it. */
  adopted: z.boolean().default(false),
  agentId: z.string(),
  claimedAt: z.number(),
  /** `claiming`: not complete, to be finished or rolled back. `ending`: the forge is up to date, local files remain. */
  stage: z.enum(['claiming', 'held', 'ending']),
  /** Issue and lease were checked: from here on the claim may have changed the board. */
  begun: z.boolean().default(true),
  lease: z.object({
    kind: z.enum(['postgres', 'git']),
    token: z.number(),
    renewedAt: z.number(),
    lost: z.boolean().default(false),
  }),
  /** What its session may do by itself, as recorded when the issue was claimed. */
  grant: Grant.optional(),
  /** The login that this claim assigned to the issue. */
  assigned: z.string().optional(),
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  agent: AgentName.optional(),
  pane: z.string().optional(),
  sessionEnded: z.boolean().default(false),
  pr: z
    .object({
      number: z.number().int(),
      url: z.string(),
      state: z.enum(['open', 'closed', 'merged']),
      checks: z.string().default(''),
      review: z.string().default(''),
      conflict: z.boolean().default(false),
      /** What the merge queue has to know; absent before the first look at the forge. */
      seen: z
        .object({
          head: z.string(),
          base: z.string(),
          isDraft: z.boolean(),
          verdict: z.enum(['passed', 'failed', 'pending', 'unknown', 'none']),
          approvedCommits: z.array(z.string()),
        })
        .optional(),
    })
    .optional(),
  /** The commit from which the work starts, recorded when the issue was claimed. */
  base: z.string().optional(),
  /** The checks of the issue, recorded when it was claimed. */
  issueChecks: IssueChecks.optional(),
  /** The proof of the branch, and what failed before. */
  proof: z
    .object({
      id: z.string(),
      commit: z.string(),
      failures: z.object({ count: z.number().int(), same: z.number().int(), failure: z.string() }).optional(),
      /** The commit about which the agent was told, and when. */
      sentBack: z.object({ commit: z.string(), at: z.number() }).optional(),
      /** What the agent said when it stopped, and its transcript. */
      said: z.string().optional(),
      transcript: z.string().optional(),
      /** The agent was told once that its report contradicts the evidence. */
      reportReturned: z.boolean().optional(),
      /** The pull request is open, but the proof has not ended, or the pull request does not show its result yet. */
      isOpen: z.boolean().optional(),
      /** A person is one of the checks. */
      needsPerson: z.boolean().optional(),
      /** The commit to which that person said yes. */
      agreed: z.string().optional(),
    })
    .optional(),
  /** The digest of the last reported news of each kind, so that nothing is reported twice. */
  told: z.record(z.string(), z.string()).default({}),
  inbox: z.array(PendingNews).default([]),
  /** How often the agent was sent back to work. */
  fixes: z.number().int().default(0),
  closing: z.enum(['not-asked', 'asked', 'yes', 'no']).default('not-asked'),
  /** A person has written in the session after it was told about the merge. */
  spokenSinceMerge: z.boolean().default(false),
  /** A person asked for `/handoff` and the branch is not handed off yet. */
  handoffAsked: z.boolean().default(false),
  trouble: ClaimTrouble.optional(),
  /** Failures in a row, and when to try again. */
  tries: z.number().int().default(0),
  notBefore: z.number().optional(),
  /** Why the claim ends, for the journal. */
  ending: z.string().optional(),
})
export type ClaimRecord = z.infer<typeof ClaimRecord>

/** Stores claims: one small file each in the state folder, cached in memory. */
export class ClaimRecords {
  readonly #files: SmallFiles
  readonly #stateDir: string | undefined
  #byProject: Promise<Map<string, ClaimRecord>> | undefined
  /** Serializes changes: of two concurrent ones, the second would overwrite the first. */
  readonly #turns = new KeyedQueue()

  /** Without a state folder, records last as long as the process. */
  constructor(files: SmallFiles, stateDir: string | undefined) {
    this.#files = files
    this.#stateDir = stateDir
  }

  async at(project: string): Promise<ClaimRecord | undefined> {
    return (await this.#all()).get(project)
  }

  async all(): Promise<ClaimRecord[]> {
    return [...(await this.#all()).values()]
  }

  async find(fits: (record: ClaimRecord) => boolean): Promise<ClaimRecord | undefined> {
    return (await this.all()).find(fits)
  }

  put(record: ClaimRecord): Promise<void> {
    return this.#turns.run(record.project, () => this.#put(record))
  }

  async #put(record: ClaimRecord): Promise<void> {
    const all = await this.#all()
    if (this.#stateDir !== undefined)
      await this.#files.write(this.#stateDir, nameOf(record.id), JSON.stringify(record))
    all.set(record.project, record)
  }

  /** Changes the current record, if the claim still exists. */
  change(
    { project, id }: Pick<ClaimRecord, 'project' | 'id'>,
    change: (record: ClaimRecord) => ClaimRecord,
  ): Promise<ClaimRecord | undefined> {
    return this.#turns.run(project, async () => {
      const known = await this.at(project)
      if (known?.id !== id) return undefined
      const next = change(known)
      if (next !== known) await this.#put(next)
      return next
    })
  }

  remove({ project, id }: Pick<ClaimRecord, 'project' | 'id'>): Promise<void> {
    return this.#turns.run(project, async () => {
      const all = await this.#all()
      if (this.#stateDir !== undefined) await this.#files.remove(this.#stateDir, nameOf(id))
      if (all.get(project)?.id === id) all.delete(project)
    })
  }

  #all(): Promise<Map<string, ClaimRecord>> {
    this.#byProject ??= this.#load()
    return this.#byProject
  }

  async #load(): Promise<Map<string, ClaimRecord>> {
    const records = this.#stateDir === undefined ? [] : await readRecords(this.#files, this.#stateDir)
    return new Map(records.map(record => [record.project, record]))
  }
}

/** Reads the records from disk, for commands that run without the daemon. */
export const readRecords = (files: SmallFiles, stateDir: string): Promise<ClaimRecord[]> =>
  readJsonFiles(files, stateDir, FOLDER, ClaimRecord)

const FOLDER = 'claims'
const nameOf = (id: string): string => `${FOLDER}/${ClaimId.parse(id)}.json`
