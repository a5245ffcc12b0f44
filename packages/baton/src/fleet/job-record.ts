import { JobData } from '@batonpass/contract/fleet'
import { z } from 'zod'
import { readJsonFiles } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'

/**
 * What this machine knows about a job it took: the truth about its clone and its agent, which survives the daemon and needs
 * no database.
 */
export const JobRecord = z.object({
  version: z.literal(1),
  /** The queue's id of the attempt. */
  job: z.string(),
  data: JobData,
  agent: z.string(),
  clone: z.string(),
  /** The shared objects that the clone borrows; read-only for its agent. */
  objects: z.string(),
  /**
   * `taken`: nothing exists yet. `claimed`: the clone is there and holds the issue. `working`: an agent was started.
   * `review`: the pull request is open, the job is done for the queue. `waiting`: the attempt ended without one; the next
   * one continues in the same clone.
   */
  stage: z.enum(['taken', 'claimed', 'working', 'review', 'waiting']),
  takenAt: z.number(),
  /** The terminal of its agent. Stored before the agent is started. */
  terminal: z.string().optional(),
  startedAt: z.number().optional(),
  /** The pull request as last seen. */
  pull: z
    .object({ number: z.number(), url: z.string(), state: z.enum(['open', 'closed', 'merged']) })
    .optional(),
  /** After a failure that may pass by itself. */
  notBefore: z.number().default(0),
  tries: z.number().int().default(0),
  /** What it waits for at the moment. */
  note: z.string().optional(),
  /** The claim that another machine had before it vanished. */
  takesOver: z.string().optional(),
  /** The pull request was open when another machine vanished: no agent is needed until there is news. */
  resumesReview: z.boolean().optional(),
  /** How often an agent was started again for news about its open pull request. */
  reviewStarts: z.number().int().optional(),
  /** An agent was started for such news and has not ended its run: it uses a slot. */
  isFixing: z.boolean().optional(),
  /** Another machine has the issue now: nothing may happen to it here. */
  isFenced: z.boolean().optional(),
})
export type JobRecord = z.infer<typeof JobRecord>

/** A pull request on its way to the merge. */
export const MergeRecord = z.object({
  version: z.literal(1),
  data: JobData.pick({ repository: true, issue: true, project: true }),
  pull: z.number(),
  base: z.string(),
  /** When it was ready for the first time. It keeps its place when its agent has to change something. */
  since: z.number(),
  /** The author's last commit, and Baton's own merges of the base on top of it: what a person agreed to. */
  lineage: z.array(z.string()),
  /** While it is its turn. Stored before each step that others can see. */
  attempt: z
    .object({
      /** `forge`: the forge has its own merge queue, which does the rest. */
      via: z.enum(['baton', 'forge']),
      head: z.string(),
      startedAt: z.number(),
      /** The branch had checks before, so it will have them again. */
      hasChecks: z.boolean(),
      /** The base, and the branch with the base merged in. */
      base: z.string().optional(),
      commit: z.string().optional(),
      /** The clone in which they were merged. */
      folder: z.string().optional(),
      proof: z.string().optional(),
      isQueued: z.boolean().optional(),
    })
    .optional(),
  /** The commit with which it went back to its agent. */
  sentBack: z
    .object({
      head: z.string(),
      at: z.number(),
      count: z.number().int(),
      /** A person was told that its agent does nothing. */
      isReported: z.boolean().optional(),
    })
    .optional(),
  notBefore: z.number().default(0),
  note: z.string().optional(),
})
export type MergeRecord = z.infer<typeof MergeRecord>

/** What a person said to the merge of a pull request whose author's last commit is `head`. */
const MergeAnswer = z.object({
  version: z.literal(1),
  data: MergeRecord.shape.data,
  head: z.string(),
  answer: z.enum(['yes', 'no']),
})
type MergeAnswer = z.infer<typeof MergeAnswer>

export const FleetSettings = z.object({
  version: z.literal(1),
  /** Names this machine in the queue. */
  machine: z.string(),
  mode: z.enum(['down', 'up', 'paused', 'draining']),
  slots: z.number().int().min(1).max(64),
  agents: z.array(z.string()).min(1),
  /** The clone of each repository on this machine, by `host/owner/name`. It takes issues of no other repository. */
  projects: z.record(z.string(), z.string()).default({}),
})
export type FleetSettings = z.infer<typeof FleetSettings>

/** One issue of one repository: there is at most one job for it. */
export const jobKey = ({ repository, issue }: Pick<JobData, 'repository' | 'issue'>): string =>
  `${repository}#${issue}`

/** Whether the queue counts on this machine: there is no pull request yet. */
export const isActiveJob = ({ stage }: Pick<JobRecord, 'stage'>): boolean =>
  stage === 'taken' || stage === 'claimed' || stage === 'working'

/** Whether an agent works on the job, or is about to. */
export const usesSlot = (record: Pick<JobRecord, 'stage' | 'isFixing'>): boolean =>
  isActiveJob(record) || (record.stage === 'review' && record.isFixing === true)

/** Stores records about issues: one small file for each. */
class IssueRecords<R extends { data: Pick<JobData, 'repository' | 'issue'> }> {
  readonly #files: SmallFiles
  readonly #stateDir: string
  readonly #folder: string
  readonly #schema: z.ZodType<R>
  #byKey: Promise<Map<string, R>> | undefined

  constructor(files: SmallFiles, stateDir: string, folder: string, schema: z.ZodType<R>) {
    this.#files = files
    this.#stateDir = stateDir
    this.#folder = folder
    this.#schema = schema
  }

  async all(): Promise<R[]> {
    return [...(await this.#load()).values()]
  }

  async of(data: Pick<JobData, 'repository' | 'issue'>): Promise<R | undefined> {
    return (await this.#load()).get(jobKey(data))
  }

  async put(record: R): Promise<R> {
    await this.#files.write(this.#stateDir, this.#nameOf(record.data), JSON.stringify(record))
    ;(await this.#load()).set(jobKey(record.data), record)
    return record
  }

  async remove({ data }: Pick<R, 'data'>): Promise<void> {
    await this.#files.remove(this.#stateDir, this.#nameOf(data))
    ;(await this.#load()).delete(jobKey(data))
  }

  #load(): Promise<Map<string, R>> {
    this.#byKey ??= readJsonFiles(this.#files, this.#stateDir, this.#folder, this.#schema).then(
      records => new Map(records.map(record => [jobKey(record.data), record])),
    )
    return this.#byKey
  }

  /** A repository's name may hold characters that a file's name may not. */
  #nameOf({ repository, issue }: Pick<JobData, 'repository' | 'issue'>): string {
    const shown = repository.replaceAll(/[^a-z0-9.]+/g, '-').slice(0, 120)
    return `${this.#folder}/${shown}-${digestOf(repository)}-${issue}.json`
  }
}

export class JobRecords extends IssueRecords<JobRecord> {
  constructor(files: SmallFiles, stateDir: string) {
    super(files, stateDir, 'fleet/jobs', JobRecord)
  }
}

export class MergeRecords extends IssueRecords<MergeRecord> {
  constructor(files: SmallFiles, stateDir: string) {
    super(files, stateDir, 'fleet/merges', MergeRecord)
  }
}

export class MergeAnswers extends IssueRecords<MergeAnswer> {
  constructor(files: SmallFiles, stateDir: string) {
    super(files, stateDir, 'fleet/merge-answers', MergeAnswer)
  }
}

/** Tells apart repositories whose names look alike in a file's name. */
function digestOf(text: string): string {
  let hash = 5381
  for (const char of text) hash = (hash * 33 + (char.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
