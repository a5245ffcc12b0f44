import { createHash } from 'node:crypto'
import { AgentName } from '@batonpass/contract/event'
import { NativeId, SessionId } from '@batonpass/contract/ids'
import { StageAgent, StageName, WorkId } from '@batonpass/contract/work'
import { z } from 'zod'
import { readJsonFile, readJsonFiles } from '../../ports/json-files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'

/** Which work item a session is about, and which stage of it. */
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
  /** How often the session was told that its stage is not finished. */
  reminders: z.number().int().nonnegative().default(0),
})
export type Binding = z.infer<typeof Binding>

/** The next stage of a work item, on its way to a fresh session. */
const DueStage = z.object({
  project: z.string(),
  workId: WorkId,
  target: StageAgent,
  stage: StageName,
  phase: z.number().int().positive().optional(),
  instruction: z.string().optional(),
  /** The session that hands over, if it is known. */
  from: SessionId.optional(),
  at: z.number(),
  /** `called`: waits for the turn of `from` to end. `due`: may begin. `begun`: typed or started; its prompt is awaited. */
  state: z.enum(['called', 'due', 'begun']),
  /** Where it was typed or started. */
  place: z.string().optional(),
  tries: z.number().int().nonnegative().default(0),
})
export type DueStage = z.infer<typeof DueStage>

type Kept = Pick<SmallFiles, 'read' | 'write' | 'remove' | 'list'>

/** What must outlive the daemon: one small file each in Baton's state folder. */
export class StageMemory {
  readonly #files: Kept
  readonly #stateDir: string

  constructor(files: Kept, stateDir: string) {
    this.#files = files
    this.#stateDir = stateDir
  }

  binding = (session: string): Promise<Binding | undefined> => this.#read(bindingName(session), Binding)
  bind = (binding: Binding): Promise<void> => this.#write(bindingName(binding.session), binding)
  unbind = async (session: string): Promise<void> =>
    void (await this.#files.remove(this.#stateDir, bindingName(session)))
  /** Forgets sessions that were bound before a moment. */
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

  #read<T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    return readJsonFile(this.#files, this.#stateDir, name, schema)
  }

  #write(name: string, value: object): Promise<void> {
    return this.#files.write(this.#stateDir, name, JSON.stringify(value))
  }
}

const bindingName = (session: string): string => `stage/sessions/${SessionId.parse(session)}.json`
const passName = (project: string, workId: string): string =>
  `stage/passes/${createHash('sha256').update(`${project}\0${workId}`).digest('hex').slice(0, 32)}.json`
