import type { AgentName, EventOf } from '@batonpass/contract/event'
import { NativeId } from '@batonpass/contract/ids'
import type { Contribution } from '../../ports/contribution.ts'
import type { ReactionContext } from '../../ports/reactor.ts'
import { sessionId } from '../../session/id.ts'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { handoffContext } from '../context-form.ts'
import { HANDOFFS_FOLDER, handoffName } from '../document-name.ts'
import { checkDocument, findDocument, storeDocument } from './check-document.ts'
import type { HandoffCommand } from './command.ts'
import type { Request, WaitingDocument } from './handoff-memory.ts'
import type { GenerationPorts } from './ports.ts'
import { correctDocumentPrompt, writeDocumentPrompt } from './prompts.ts'

/** Gives a new session its handoff document. If nothing waits for the answer any more, the session still has to get it. */
async function deliverDocument(
  { memory, files, journal, continues }: GenerationPorts,
  { session, nativeSession, agent }: EventOf<'SessionStarted' | 'PromptSubmitted'>,
  project: string,
  { document, from, fromAgent }: Pick<WaitingDocument, 'document' | 'from' | 'fromAgent'>,
  signal: AbortSignal,
): Promise<Contribution> {
  // Read the file again: a person may have edited or deleted it.
  const read = await files.read(project, document).catch(() => undefined)
  if (!read) return {}
  if (from && fromAgent && NativeId.safeParse(from).success)
    await continues?.(session, sessionId(fromAgent, from))
  const ledger = await files.ledger(project, document)
  const earlier = await memory.received(session)
  if (signal.aborted) return {}
  await memory.receive(session, { document, ...(from ? { from } : {}) })
  if (!signal.aborted)
    await journal(
      { session, nativeSession, agent, project },
      { kind: 'handoff', what: 'received', document, ...(from ? { from } : {}) },
    )
  // Nothing is awaited between this look and the answer: an answer that comes too late is thrown away.
  if (signal.aborted) {
    await memory.takeBack(session, earlier)
    return {}
  }
  return {
    context: handoffContext(files.clean(read.document), {
      path: `${HANDOFFS_FOLDER}/${document}`,
      ledger: ledger && files.clean(ledger),
    }),
    notice: `This session starts with ${HANDOFFS_FOLDER}/${document}.`,
  }
}

/** The document that waits at the session's own place, or else the one that waits in its project. */
async function waitingFor(
  { memory }: GenerationPorts,
  session: string,
  project: string,
  place: string | undefined,
): Promise<{ waiting: WaitingDocument; at: string | undefined } | undefined> {
  for (const at of place === undefined ? [undefined] : [place, undefined]) {
    const waiting = await memory.waiting(project, at)
    // The same session may ask again if the first answer was lost.
    if (waiting && (waiting.deliveredTo === undefined || waiting.deliveredTo === session))
      return { waiting, at }
  }
  return undefined
}

/** The session that is asked for a handoff document. */
export interface HandoffSubject {
  session: Request['session']
  nativeSession: string
  agent: AgentName
  project: string
  transcript?: string | undefined
  focus?: string | undefined
  /** The event that caused the request: if it arrives twice, it is the same request. */
  by?: string | undefined
  place?: string | undefined
}

/** Refuses `/handoff` in an empty session before the model is asked. */
const NOTHING = 'Nothing to hand off (no messages yet)'
/** Number of events in a session without messages: its start and this prompt. */
const FIRST_EVENTS = 2

/** Carries a handoff from `/handoff` to the next session, event by event; one operation at a time per project. */
export class HandoffGeneration {
  readonly #ports: GenerationPorts
  readonly #turns = new KeyedQueue()

  constructor(ports: GenerationPorts) {
    this.#ports = ports
  }

  /** Handles a typed `/handoff`. */
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
    return { context: writeDocumentPrompt(name, focus, form) }
  }

  /** Records that a session has to write its document and returns the file name. The same event gets the same name. */
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

  /** Accepts a document that already exists and passes the check, before the turn has ended. */
  async ready(session: string, now: number): Promise<void> {
    await this.#inTurn(session, async request => {
      const written = await findDocument(this.#ports, request, undefined)
      const taken = written && (await checkDocument(this.#ports, request, written))
      if (taken?.findings.length === 0) await storeDocument(this.#ports, request, taken, now)
      return {}
    })
  }

  /** Stores a document without asking the agent: the agent's own if it passes the check, else one from evidence. */
  async writeNow(subject: HandoffSubject, now: number): Promise<void> {
    if (!(await this.wanted(subject.session))) await this.request(subject, now)
    await this.#settleNow(subject.session, now)
  }

  /** The document that this session left for the next one, if it is ready. */
  async settled({ project, place, nativeSession }: HandoffSubject): Promise<WaitingDocument | undefined> {
    const waiting = await this.#ports.memory.waiting(project, place)
    return waiting?.from === nativeSession ? waiting : undefined
  }

  /** Lets the next session in the project have the document, at whatever place it starts. */
  async release(project: string, place: string): Promise<void> {
    const { memory } = this.#ports
    const waiting = await memory.waiting(project, place)
    if (!waiting) return
    const { deliveredTo, ...again } = waiting
    await memory.await(project, again)
    await memory.leave(project, place)
  }

  /** Deletes the request of a session and the document that waits at its place. */
  async drop({ session, project, place }: HandoffSubject): Promise<void> {
    await this.#ports.memory.drop(session)
    if (place !== undefined) await this.#ports.memory.leave(project, place)
  }

  /** Handles any other prompt: the turn that ends next may not be the one that writes the document. */
  async prompted(event: EventOf<'PromptSubmitted'>): Promise<void> {
    const request = await this.#ports.memory.request(event.session)
    if (request && !request.superseded) await this.#ports.memory.ask({ ...request, superseded: true })
  }

  wanted(session: string): Promise<Request | undefined> {
    return this.#ports.memory.request(session)
  }

  /** At the end of a turn: checks the document, asks for corrections once, or writes it from evidence. */
  turnEnded(event: EventOf<'TurnEnded'>, now: number, signal: AbortSignal): Promise<Contribution> {
    return this.#inTurn(event.session, async request => {
      const { memory, journal } = this.#ports
      const written = await findDocument(this.#ports, request, event.lastMessage)
      if (!written && request.superseded) {
        await memory.drop(request.session)
        return {}
      }
      const taken = await checkDocument(this.#ports, request, written)
      const { findings } = taken
      if (signal.aborted) return {}
      if (findings.length > 0 && !request.askedAgain && !request.superseded) {
        await memory.ask({ ...request, askedAgain: true })
        const entry = {
          kind: 'handoff',
          what: 'asked-again',
          findings: findings.map(each => each.message),
        } as const
        await journal(request, entry)
        const prompt = correctDocumentPrompt(written?.name ?? request.name, findings, written !== undefined)
        // Rank "cycle": overrides continuations, but not a person or a limit.
        return { continuation: { rank: 'cycle', prompt } }
      }
      const name = await storeDocument(this.#ports, request, taken, now)
      const own = findings.length > 0 ? ' (written by Baton: the agent’s document failed the check)' : ''
      const stop = `Handoff document ${HANDOFFS_FOLDER}/${name}${own}. Run /clear or start a new session here to continue with it.`
      return { continuation: { rank: 'cycle', stop } }
    })
  }

  /** The session ended before its document was finished: Baton writes it from evidence. */
  async sessionEnded(event: EventOf<'SessionEnded'>, now: number): Promise<Contribution> {
    await this.#settleNow(event.session, now)
    return {}
  }

  async #settleNow(session: string, now: number): Promise<void> {
    await this.#inTurn(session, async request => {
      const written = await findDocument(this.#ports, request, undefined)
      await storeDocument(this.#ports, request, await checkDocument(this.#ports, request, written), now)
      return {}
    })
  }

  /** Whether a document waits for this session, or is being written right now. */
  async awaits(session: string, project: string, place: string | undefined): Promise<boolean> {
    if (this.#turns.has(project)) return true
    return (await waitingFor(this.#ports, session, project, place)) !== undefined
  }

  /** Gives a new session the document that waits here, once. */
  sessionStarted(
    event: EventOf<'SessionStarted'>,
    project: string,
    place: string | undefined,
    signal: AbortSignal,
  ): Promise<Contribution> {
    return this.#turns.run(project, async () => {
      const { memory } = this.#ports
      const found = await waitingFor(this.#ports, event.session, project, place)
      if (!found) return {}
      const { waiting, at } = found
      if (waiting.toldTo !== undefined && waiting.toldTo !== event.agent) return {}
      await memory.await(project, { ...waiting, deliveredTo: event.session }, at)
      if (event.deaf) return {}
      // The program that started the session has already given it the document, whether or not this answer still counts.
      const isTold = waiting.toldTo !== undefined
      const until = isTold ? new AbortController().signal : signal
      const delivered = await deliverDocument(this.#ports, event, project, waiting, until)
      return isTold ? {} : delivered
    })
  }

  /** Delivers the document with a prompt, to a session whose start was reported too late to deliver it then. */
  async deliverLate(
    event: EventOf<'PromptSubmitted'>,
    project: string,
    waiting: Pick<WaitingDocument, 'document' | 'from' | 'fromAgent'>,
    signal: AbortSignal,
  ): Promise<Contribution> {
    // Two reactors may find at the same prompt that the document is undelivered.
    return this.#turns.run(project, async () => {
      const received = await this.#ports.memory.received(event.session)
      return received?.document === waiting.document
        ? {}
        : deliverDocument(this.#ports, event, project, waiting, signal)
    })
  }

  /** The document that this session should have received at its start and did not. */
  async owedTo(
    session: string,
    project: string,
    place: string | undefined,
  ): Promise<WaitingDocument | undefined> {
    const { waiting } = (await waitingFor(this.#ports, session, project, place)) ?? {}
    if (waiting?.deliveredTo !== session) return undefined
    return (await this.#ports.memory.received(session))?.document === waiting.document ? undefined : waiting
  }

  async #inTurn(session: string, work: (request: Request) => Promise<Contribution>): Promise<Contribution> {
    const first = await this.wanted(session)
    if (!first) return {}
    return this.#turns.run(first.project, async () => {
      const request = await this.wanted(session)
      return request ? work(request) : {}
    })
  }
}

function freeName(now: number, taken: readonly string[]): string {
  for (let nth = 1; ; nth++) {
    const name = handoffName(now, nth)
    if (!taken.includes(name)) return name
  }
}
