import { createHash } from 'node:crypto'
import { AgentName } from '@batonpass/contract/event'
import { NativeId, SessionId } from '@batonpass/contract/ids'
import { z } from 'zod'
import { readJsonFile } from '../../ports/json-files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'

/** A handoff document that a session was asked for and has not finished. */
const Request = z.object({
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  transcript: z.string().optional(),
  focus: z.string().optional(),
  askedAt: z.number(),
  /** Documents that already existed when the request was made. */
  before: z.array(z.string()),
  /** The name the agent was told to use. */
  name: z.string(),
  askedAgain: z.boolean().default(false),
  /** The event that caused the request; if it is a turn's end, that turn did not write the document. */
  by: z.string().optional(),
  /** Where the next session will start, if known: only a session there gets the document. */
  place: z.string().optional(),
  /** Another prompt arrived in the meantime: the session is not asked a second time. */
  superseded: z.boolean().default(false),
})
export type Request = z.infer<typeof Request>

/** A document that waits for the next session of a project, or that was delivered to one. */
const WaitingDocument = z.object({
  document: z.string(),
  /** The session it comes from, by its agent's own id. */
  from: z.string().optional(),
  fromAgent: AgentName.optional(),
  /** Only for a session of this agent, whose first prompt already contains the document. */
  toldTo: AgentName.optional(),
  writtenBy: z.enum(['agent', 'baton']).optional(),
  deliveredTo: z.string().optional(),
})
export type WaitingDocument = z.infer<typeof WaitingDocument>

const Received = z.object({ document: z.string(), from: z.string().optional() })

type Kept = Pick<SmallFiles, 'read' | 'write' | 'remove' | 'list'>

/** Handoff state that survives the daemon: one small file per record in the state folder. */
export class HandoffMemory {
  readonly #files: Kept
  readonly #stateDir: string

  constructor(files: Kept, stateDir: string) {
    this.#files = files
    this.#stateDir = stateDir
  }

  request = (session: string): Promise<Request | undefined> => this.#read(requestName(session), Request)
  ask = (request: Request): Promise<void> => this.#write(requestName(request.session), request)
  drop = async (session: string): Promise<void> =>
    void (await this.#files.remove(this.#stateDir, requestName(session)))

  /** The document that waits in a project, or at one place in it. */
  waiting = (project: string, place?: string): Promise<WaitingDocument | undefined> =>
    this.#read(waitingName(project, place), WaitingDocument)
  await = (project: string, waiting: WaitingDocument, place?: string): Promise<void> =>
    this.#write(waitingName(project, place), waiting)
  /** Removes the document that waits only at this place. */
  leave = async (project: string, place: string): Promise<void> =>
    void (await this.#files.remove(this.#stateDir, waitingName(project, place)))

  /** The document that a session started with. */
  received = (session: string) => this.#read(receivedName(session), Received)
  receive = (session: string, received: z.infer<typeof Received>): Promise<void> =>
    this.#write(receivedName(session), received)
  /** Undoes `receive`: the session started with the earlier document, if any. */
  takeBack = async (session: string, earlier?: z.infer<typeof Received>): Promise<void> => {
    if (earlier) await this.receive(session, earlier)
    else await this.#files.remove(this.#stateDir, receivedName(session))
  }

  /** Deletes requests and deliveries older than the given time. */
  async tidy(before: number): Promise<void> {
    for (const folder of ['asked', 'waiting', 'received'])
      for (const { name, modifiedMs } of await this.#files.list(this.#stateDir, `handoff/${folder}`))
        if (modifiedMs < before) await this.#files.remove(this.#stateDir, `handoff/${folder}/${name}`)
  }

  #read<T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    return readJsonFile(this.#files, this.#stateDir, name, schema)
  }

  #write(name: string, value: object): Promise<void> {
    return this.#files.write(this.#stateDir, name, JSON.stringify(value))
  }
}

/** State files in memory, for a process without a state folder. */
export function inMemoryStateFiles(): Kept {
  const kept = new Map<string, string>()
  return {
    async read(root, name) {
      const text = kept.get(`${root}\0${name}`)
      return text === undefined ? { kind: 'absent' } : { kind: 'text', text, modifiedMs: 0 }
    },
    write: async (root, name, text) => void kept.set(`${root}\0${name}`, text),
    remove: async (root, name) => kept.delete(`${root}\0${name}`),
    list: async () => [],
  }
}

const requestName = (session: string): string => `handoff/asked/${SessionId.parse(session)}.json`
const receivedName = (session: string): string => `handoff/received/${SessionId.parse(session)}.json`
const waitingName = (project: string, place = ''): string => {
  const name = place === '' ? project : `${project}\0${place}`
  return `handoff/waiting/${createHash('sha256').update(name).digest('hex').slice(0, 32)}.json`
}
