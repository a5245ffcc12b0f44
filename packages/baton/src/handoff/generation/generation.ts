import type { AgentName, EventOf } from '@batonpass/contract/event'
import type { HandoffDocument, HandoffEntry, HandoffFinding } from '@batonpass/contract/handoff'
import { NativeId, type SessionId } from '@batonpass/contract/ids'
import type { Contribution } from '../../ports/contribution.ts'
import type { ReactionContext } from '../../ports/reactor.ts'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { sessionId } from '../../session/id.ts'
import { filesNamed } from '../claims.ts'
import { handoffContext } from '../context.ts'
import { documentIn, parseHandoff, type ReadHandoff } from '../document/parse.ts'
import { type Evidence, type EvidencePorts, gatherEvidence } from '../evidence.ts'
import type { HandoffFiles } from '../files.ts'
import { completed, handoffFromEvidence } from '../from-evidence.ts'
import { wrongIn } from '../judge.ts'
import { HANDOFFS, handoffName } from '../name.ts'
import type { HandoffCommand } from './command.ts'
import type { HandoffMemory, Request, Waiting } from './memory.ts'
import { askAgainWords, askWords } from './words.ts'

export interface GenerationPorts {
  evidence: EvidencePorts
  files: HandoffFiles
  memory: HandoffMemory
  readerOf(agent: AgentName): TranscriptReader | undefined
  /** What a workflow's own files say about a session. */
  workOf(
    project: string,
    nativeSession: string,
  ): Promise<{ issue?: number | undefined; pr?: number | undefined; stage?: string | undefined }>
  /** A session goes on with the work of another. */
  continues?(session: SessionId, parent: SessionId): Promise<void>
  journal(
    about: Pick<Request, 'session' | 'nativeSession' | 'agent' | 'project'>,
    entry: HandoffEntry,
  ): Promise<void>
}

/** Whose document it is to be. */
export interface HandoffSubject {
  session: Request['session']
  nativeSession: string
  agent: AgentName
  project: string
  transcript?: string | undefined
  focus?: string | undefined
  /** The event that brings the request: the same one again is the same request. */
  by?: string | undefined
  place?: string | undefined
}

/** The two messages a handoff needs; said before the model is asked. */
const NOTHING = 'Nothing to hand off (no messages yet)'
/** Events of a session in which nothing was said yet: its start and this prompt. */
const FIRST_EVENTS = 2

/** A handoff from `/handoff` to the next session, event by event. One thing at a time for each project. */
export class HandoffGeneration {
  readonly #ports: GenerationPorts
  readonly #lanes = new Map<string, Promise<unknown>>()

  constructor(ports: GenerationPorts) {
    this.#ports = ports
  }

  /** `/handoff` was typed. */
  async asked(
    event: EventOf<'PromptSubmitted'>,
    { focus, form }: HandoffCommand,
    { session, project, now }: ReactionContext,
    place?: string,
  ): Promise<Contribution> {
    const transcript = event.transcript ?? session.transcript
    const reader = this.#ports.readerOf(event.agent)
    const size =
      transcript && reader ? await reader.contextSize(transcript).catch(() => undefined) : undefined
    if (size === undefined && session.events <= FIRST_EVENTS) return { refuse: { reason: NOTHING } }
    const name = await this.request({ ...event, transcript, project, by: event.id, place, focus }, now)
    return { context: askWords(name, focus, form) }
  }

  /** Notes that a session is to write its document, and gives the file's name. Asked for again, it stays the same. */
  async request(subject: HandoffSubject, now: number): Promise<string> {
    const { memory, files, journal } = this.#ports
    const { session, nativeSession, agent, project, transcript, focus, by, place } = subject
    const known = await memory.request(session)
    if (known && by !== undefined && known.by === by) return known.name
    await files.hide(project)
    const before = await files.list(project)
    const name = freeName(now, before)
    const request: Request = {
      session,
      nativeSession,
      agent,
      project,
      askedAt: now,
      before,
      name,
      askedAgain: false,
      superseded: false,
      ...(transcript ? { transcript } : {}),
      ...(focus ? { focus } : {}),
      ...(by ? { by } : {}),
      ...(place ? { place } : {}),
    }
    await memory.ask(request)
    await journal(request, { kind: 'handoff', what: 'asked', document: name })
    return name
  }

  /** Takes a document that is there already and holds, before the turn has ended. */
  async ready(session: string, now: number): Promise<void> {
    await this.#inTurn(session, async request => {
      const written = await this.#written(request, undefined)
      if (!written) return {}
      const evidence = await this.#evidence(request, filesNamed(written.document))
      if (this.#findings(written, evidence).length === 0)
        await this.#settle(request, evidence, written, [], now)
      return {}
    })
  }

  /** The document stands without the agent: its own where that holds, else one from evidence. */
  async writeNow(subject: HandoffSubject, now: number): Promise<void> {
    if (!(await this.wanted(subject.session))) await this.request(subject, now)
    await this.#settleNow(subject.session, now)
  }

  /** What stands ready for the session after this one. */
  async settled({ project, place, nativeSession }: HandoffSubject): Promise<Waiting | undefined> {
    const waiting = await this.#ports.memory.waiting(project, place)
    return waiting?.from === nativeSession ? waiting : undefined
  }

  /** Whoever begins in the project next gets the document, wherever that is. */
  async release(project: string, place: string): Promise<void> {
    const { memory } = this.#ports
    const waiting = await memory.waiting(project, place)
    if (!waiting) return
    const { deliveredTo, ...again } = waiting
    await memory.await(project, again)
    await memory.leave(project, place)
  }

  /** Neither a request nor a document of an earlier one is left. */
  async drop({ session, project, place }: HandoffSubject): Promise<void> {
    await this.#ports.memory.drop(session)
    if (place !== undefined) await this.#ports.memory.leave(project, place)
  }

  /** Any other prompt: a turn that ends now need not be the handoff's. */
  async prompted(event: EventOf<'PromptSubmitted'>): Promise<void> {
    const request = await this.#ports.memory.request(event.session)
    if (request && !request.superseded) await this.#ports.memory.ask({ ...request, superseded: true })
  }

  wanted(session: string): Promise<Request | undefined> {
    return this.#ports.memory.request(session)
  }

  /** The turn has ended: the document is taken, compared, asked for again once, or written by Baton. */
  turnEnded(event: EventOf<'TurnEnded'>, now: number, signal: AbortSignal): Promise<Contribution> {
    return this.#inTurn(event.session, async request => {
      const { memory, journal } = this.#ports
      const written = await this.#written(request, event.lastMessage)
      if (!written && request.superseded) {
        await memory.drop(request.session)
        return {}
      }
      const evidence = await this.#evidence(request, written ? filesNamed(written.document) : [])
      const findings = written ? this.#findings(written, evidence) : [ABSENT]
      if (signal.aborted) return {}
      if (findings.length > 0 && !request.askedAgain && !request.superseded) {
        await memory.ask({ ...request, askedAgain: true })
        const entry = {
          kind: 'handoff',
          what: 'asked-again',
          findings: findings.map(each => each.message),
        } as const
        await journal(request, entry)
        const prompt = askAgainWords(written?.name ?? request.name, findings, written !== undefined)
        // A handoff is the first step of a cycle: stronger than what would go on, weaker than a person or a limit.
        return { going: { rank: 'cycle', prompt } }
      }
      const name = await this.#settle(request, evidence, written, findings, now)
      const own = findings.length > 0 ? ' (written by Baton: the agent’s did not hold)' : ''
      const stop = `Handoff document ${HANDOFFS}/${name}${own}. The next session here begins with it: /clear, or start anew.`
      return { going: { rank: 'cycle', stop } }
    })
  }

  /** The session is gone before its document was finished: what the evidence shows has to do. */
  async sessionEnded(event: EventOf<'SessionEnded'>, now: number): Promise<Contribution> {
    await this.#settleNow(event.session, now)
    return {}
  }

  async #settleNow(session: string, now: number): Promise<void> {
    await this.#inTurn(session, async request => {
      const written = await this.#written(request, undefined)
      const evidence = await this.#evidence(request, written ? filesNamed(written.document) : [])
      const findings = written ? this.#findings(written, evidence) : [ABSENT]
      await this.#settle(request, evidence, written, findings, now)
      return {}
    })
  }

  /** Whether a document waits for this session, or may soon: one is just being written. */
  async awaits(session: string, project: string, place: string | undefined): Promise<boolean> {
    if (this.#lanes.has(project)) return true
    return (await this.#waitingFor(session, project, place)) !== undefined
  }

  /** The document that waits at the session's own place, else the one that waits in its project. */
  async #waitingFor(session: string, project: string, place: string | undefined) {
    for (const at of place === undefined ? [undefined] : [place, undefined]) {
      const waiting = await this.#ports.memory.waiting(project, at)
      // The same session may ask again, when its first answer was lost.
      if (waiting && (waiting.deliveredTo === undefined || waiting.deliveredTo === session))
        return { waiting, at }
    }
    return undefined
  }

  /** A fresh session begins: it gets the document that waits here, once. */
  sessionStarted(
    event: EventOf<'SessionStarted'>,
    project: string,
    place: string | undefined,
  ): Promise<Contribution> {
    return this.#lane(project, async () => {
      const { memory } = this.#ports
      const found = await this.#waitingFor(event.session, project, place)
      if (!found) return {}
      const { waiting, at } = found
      if (waiting.toldTo !== undefined && waiting.toldTo !== event.agent) return {}
      await memory.await(project, { ...waiting, deliveredTo: event.session }, at)
      const delivered = await this.#deliver(event, project, waiting)
      // Whoever started it has told it already.
      return waiting.toldTo === undefined ? delivered : {}
    })
  }

  /** The document for a session that should have begun with it and did not: its beginning was not heard of in time. */
  async deliverLate(
    event: EventOf<'PromptSubmitted'>,
    project: string,
    waiting: Pick<Waiting, 'document' | 'from' | 'fromAgent'>,
  ): Promise<Contribution> {
    const received = await this.#ports.memory.received(event.session)
    return received?.document === waiting.document ? {} : this.#deliver(event, project, waiting)
  }

  async #deliver(
    { session, nativeSession, agent }: EventOf<'SessionStarted' | 'PromptSubmitted'>,
    project: string,
    { document, from, fromAgent }: Pick<Waiting, 'document' | 'from' | 'fromAgent'>,
  ): Promise<Contribution> {
    const { memory, files, journal } = this.#ports
    // A person may have edited the document, or deleted it: that counts.
    const read = await files.read(project, document).catch(() => undefined)
    if (!read) return {}
    if (from && fromAgent && NativeId.safeParse(from).success)
      await this.#ports.continues?.(session, sessionId(fromAgent, from))
    await memory.receive(session, { document, ...(from ? { from } : {}) })
    await journal(
      { session, nativeSession, agent, project },
      { kind: 'handoff', what: 'received', document, ...(from ? { from } : {}) },
    )
    return {
      context: handoffContext(files.clean(read.document), `${HANDOFFS}/${document}`),
      notice: `This session begins with ${HANDOFFS}/${document}.`,
    }
  }

  /** What the agent wrote: a new file, else its last message if that is a document. */
  async #written(
    request: Request,
    message: string | undefined,
  ): Promise<(ReadHandoff & { name?: string }) | undefined> {
    const { files } = this.#ports
    const names = await files.list(request.project)
    const fresh = names.filter(name => !request.before.includes(name))
    const name = fresh.includes(request.name) ? request.name : fresh.at(-1)
    if (name !== undefined) {
      const read = await files.read(request.project, name).catch(() => undefined)
      if (read) return { ...read, name }
    }
    const read = message === undefined ? undefined : parseHandoff(documentIn(message))
    const missing = read?.findings.filter(({ code }) => code === 'missing-section').length ?? 0
    return read && missing <= MOST_MISSING ? read : undefined
  }

  #findings(written: ReadHandoff, evidence: Evidence): HandoffFinding[] {
    return wrongIn(written, evidence, this.#ports.evidence.readTest)
  }

  async #evidence(
    { project, agent, nativeSession, transcript }: Request,
    named: readonly string[],
  ): Promise<Evidence> {
    const reader = this.#ports.readerOf(agent)
    const work = await this.#ports.workOf(project, nativeSession)
    const subject = { root: project, agent, session: nativeSession, ...work, named }
    const from = transcript && reader ? { path: transcript, reader } : undefined
    try {
      return await gatherEvidence(this.#ports.evidence, { ...subject, transcript: from })
    } catch {
      // A transcript that cannot be read is no reason to have no document: git is still there.
      return gatherEvidence(this.#ports.evidence, subject)
    }
  }

  /** The document that counts stands on disk and waits for the next session. */
  async #settle(
    request: Request,
    evidence: Evidence,
    written: (ReadHandoff & { name?: string }) | undefined,
    findings: readonly HandoffFinding[],
    now: number,
  ): Promise<string> {
    const { files, memory, journal } = this.#ports
    const received = await memory.received(request.session)
    const writing = { now, focus: request.focus, parent: received?.document }
    const good = written && findings.length === 0
    const document: HandoffDocument = good
      ? completed(written.document, evidence, writing, written.findings)
      : handoffFromEvidence(evidence, writing)
    const name =
      good && written.name !== undefined
        ? await files.rewrite(request.project, written.name, document)
        : await files.store(request.project, document, now)
    const writtenBy = good ? 'agent' : 'baton'
    const { nativeSession: from, agent: fromAgent } = request
    const waiting = { document: name, from, fromAgent, writtenBy } as const
    await memory.await(request.project, waiting, request.place)
    await memory.drop(request.session)
    const wrong = findings.map(({ message }) => message)
    await journal(request, {
      kind: 'handoff',
      what: 'written',
      document: name,
      writtenBy,
      ...(wrong.length > 0 ? { findings: wrong } : {}),
    })
    return name
  }

  async #inTurn(session: string, work: (request: Request) => Promise<Contribution>): Promise<Contribution> {
    const first = await this.wanted(session)
    if (!first) return {}
    return this.#lane(first.project, async () => {
      const request = await this.wanted(session)
      return request ? work(request) : {}
    })
  }

  #lane<T>(project: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#lanes.get(project) ?? Promise.resolve()).then(work, work)
    const tail = mine
      .catch(() => {})
      .finally(() => {
        if (this.#lanes.get(project) === tail) this.#lanes.delete(project)
      })
    this.#lanes.set(project, tail)
    return mine
  }
}

/** A message with fewer of the sections is talk, not a document. */
const MOST_MISSING = 3

const ABSENT: HandoffFinding = {
  code: 'unreadable',
  weight: 'wrong',
  where: 'document',
  message: 'The agent wrote no handoff document',
}

function freeName(now: number, taken: readonly string[]): string {
  for (let nth = 1; ; nth++) {
    const name = handoffName(now, nth)
    if (!taken.includes(name)) return name
  }
}
