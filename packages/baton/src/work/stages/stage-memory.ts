import { createHash } from 'node:crypto'
import { AgentName } from '@batonpass/contract/event'
import { NativeId, SessionId } from '@batonpass/contract/ids'
import { StageAgent, StageName, WorkId } from '@batonpass/contract/work'
import { z } from 'zod'
import { readJsonFile, readJsonFiles } from '../../ports/json-files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { Course } from '../workflows/progress.ts'
import { WorkGrant } from './work-grant.ts'
import { WorkProof } from './work-proof.ts'

/** The work item and stage that a session works on. */
const Binding = z.object({
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  workId: WorkId,
  stage: StageName.optional(),
  phase: z.number().int().positive().optional(),
  /** The pull request whose review comments it was sent to address. */
  pull: z.number().int().positive().optional(),
  since: z.number(),
  /** How often in a row Baton told the session that its stage is not finished, without progress in between. */
  reminders: z.number().int().nonnegative().default(0),
  /** How often it was told altogether, and what the stops have shown. */
  told: z.number().int().nonnegative().optional(),
  course: Course.optional(),
})
export type Binding = z.infer<typeof Binding>

/** The next stage of a work item, waiting for its new session. */
const DueStage = z.object({
  project: z.string(),
  workId: WorkId,
  target: StageAgent,
  stage: StageName,
  phase: z.number().int().positive().optional(),
  instruction: z.string().optional(),
  /** The session that hands over, if known. */
  from: SessionId.optional(),
  at: z.number(),
  /** `called`: waits for the turn of `from` to end. `due`: may start. `begun`: typed or started; Baton waits for its prompt. */
  state: z.enum(['called', 'due', 'begun']),
  /** Where it was typed or started. */
  place: z.string().optional(),
  tries: z.number().int().nonnegative().default(0),
})
export type DueStage = z.infer<typeof DueStage>

type StateFiles = Pick<SmallFiles, 'read' | 'write' | 'remove' | 'list'>

/** State of staged work that survives the daemon: one small file per record in the state folder. */
export class StageMemory {
  readonly #files: StateFiles
  readonly #stateDir: string

  constructor(files: StateFiles, stateDir: string) {
    this.#files = files
    this.#stateDir = stateDir
  }

  binding = (session: string): Promise<Binding | undefined> => this.#read(bindingName(session), Binding)
  bind = (binding: Binding): Promise<void> => this.#write(bindingName(binding.session), binding)
  unbind = async (session: string): Promise<void> =>
    void (await this.#files.remove(this.#stateDir, bindingName(session)))
  /** Deletes bindings older than the given time. */
  async tidy(before: number): Promise<void> {
    for (const { session, since } of await this.bindings()) if (since < before) await this.unbind(session)
  }
  bindings = (): Promise<Binding[]> => readJsonFiles(this.#files, this.#stateDir, 'stage/sessions', Binding)

  pass = (project: string, workId: string): Promise<DueStage | undefined> =>
    this.#read(passName(project, workId), DueStage)
  keep = (pass: DueStage): Promise<void> => this.#write(passName(pass.project, pass.workId), pass)
  drop = async ({ project, workId }: Pick<DueStage, 'project' | 'workId'>): Promise<void> =>
    void (await this.#files.remove(this.#stateDir, passName(project, workId)))
  passes = (): Promise<DueStage[]> => readJsonFiles(this.#files, this.#stateDir, 'stage/passes', DueStage)

  grant = (project: string, workId: string): Promise<WorkGrant | undefined> =>
    this.#read(grantName(project, workId), WorkGrant)
  keepGrant = (grant: WorkGrant): Promise<void> => this.#write(grantName(grant.project, grant.workId), grant)

  proof = (project: string, workId: string): Promise<WorkProof | undefined> =>
    this.#read(proofName(project, workId), WorkProof)
  keepProof = (proof: WorkProof): Promise<void> => this.#write(proofName(proof.project, proof.workId), proof)
  proofs = (): Promise<WorkProof[]> => readJsonFiles(this.#files, this.#stateDir, 'stage/proofs', WorkProof)

  #read<T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    return readJsonFile(this.#files, this.#stateDir, name, schema)
  }

  #write(name: string, value: object): Promise<void> {
    return this.#files.write(this.#stateDir, name, JSON.stringify(value))
  }
}

const bindingName = (session: string): string => `stage/sessions/${SessionId.parse(session)}.json`
const passName = (project: string, workId: string): string => `stage/passes/${keyOf(project, workId)}.json`
const grantName = (project: string, workId: string): string => `stage/grants/${keyOf(project, workId)}.json`
const proofName = (project: string, workId: string): string => `stage/proofs/${keyOf(project, workId)}.json`
const keyOf = (project: string, workId: string): string =>
  createHash('sha256').update(`${project}\0${workId}`).digest('hex').slice(0, 32)
