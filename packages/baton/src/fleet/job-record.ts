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
})
export type JobRecord = z.infer<typeof JobRecord>

export const FleetSettings = z.object({
  version: z.literal(1),
  /** Names this machine in the queue. */
  machine: z.string(),
  mode: z.enum(['down', 'up', 'paused', 'draining']),
  slots: z.number().int().min(1).max(64),
  agents: z.array(z.string()).min(1),
})
export type FleetSettings = z.infer<typeof FleetSettings>

/** One issue of one repository: there is at most one job for it. */
export const jobKey = ({ repository, issue }: Pick<JobData, 'repository' | 'issue'>): string =>
  `${repository}#${issue}`

/** Whether an agent works on the job, or is about to. */
export const usesSlot = ({ stage }: Pick<JobRecord, 'stage'>): boolean =>
  stage === 'taken' || stage === 'claimed' || stage === 'working'

const FOLDER = 'fleet/jobs'

/** Stores the records: one small file for each issue. */
export class JobRecords {
  readonly #files: SmallFiles
  readonly #stateDir: string
  #byKey: Promise<Map<string, JobRecord>> | undefined

  constructor(files: SmallFiles, stateDir: string) {
    this.#files = files
    this.#stateDir = stateDir
  }

  async all(): Promise<JobRecord[]> {
    return [...(await this.#load()).values()]
  }

  async of(data: Pick<JobData, 'repository' | 'issue'>): Promise<JobRecord | undefined> {
    return (await this.#load()).get(jobKey(data))
  }

  async put(record: JobRecord): Promise<JobRecord> {
    await this.#files.write(this.#stateDir, nameOf(record.data), JSON.stringify(record))
    ;(await this.#load()).set(jobKey(record.data), record)
    return record
  }

  async remove({ data }: Pick<JobRecord, 'data'>): Promise<void> {
    await this.#files.remove(this.#stateDir, nameOf(data))
    ;(await this.#load()).delete(jobKey(data))
  }

  #load(): Promise<Map<string, JobRecord>> {
    this.#byKey ??= readJsonFiles(this.#files, this.#stateDir, FOLDER, JobRecord).then(
      records => new Map(records.map(record => [jobKey(record.data), record])),
    )
    return this.#byKey
  }
}

/** A repository's name may hold characters that a file's name may not. */
const nameOf = ({ repository, issue }: JobData): string =>
  `${FOLDER}/${repository.replaceAll(/[^a-z0-9.]+/g, '-').slice(0, 120)}-${digestOf(repository)}-${issue}.json`

/** Tells apart repositories whose names look alike in a file's name. */
function digestOf(text: string): string {
  let hash = 5381
  for (const char of text) hash = (hash * 33 + (char.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
