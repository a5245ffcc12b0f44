import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { AgentEvent } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import { composeHandoff } from '../../packages/baton/src/compose/handoff.ts'
import { parseHandoff } from '../../packages/baton/src/handoff/document/parse.ts'
import { ledgerOfDocument } from '../../packages/baton/src/handoff/ledger.ts'
import { SECTIONS, sectionText } from '../../packages/baton/src/handoff/sections.ts'
import { makeRedactor } from '../../packages/baton/src/journal/redact.ts'
import type { Contribution } from '../../packages/baton/src/ports/contribution.ts'
import { sessionId } from '../../packages/baton/src/session/id.ts'
import { BEHAVIORS, type Behavior, documentOf } from './documents.ts'
import type { BenchSession } from './sessions.ts'
import { transcriptOf } from './transcripts.ts'

/** What the next session gets. */
export interface Received {
  context: string
  /** The text behind each pointer that the context names. */
  sections: readonly string[]
  section(name: string): string
  /** The stored document. */
  stored: string
  sentBack: boolean
}

/** A repository with Baton's handoffs, driven by events as the hooks send them. */
export class Workplace {
  readonly root: string
  readonly #home: string
  readonly #handoff: ReturnType<typeof composeHandoff>
  #now: number
  #n = 0

  constructor(root: string, home: string, startMs: number) {
    this.root = root
    this.#home = home
    this.#now = startMs
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    this.#handoff = composeHandoff({
      env: {},
      home,
      stateDir: join(home, 'state'),
      redactor: makeRedactor(),
      write: async () => {},
    })
  }

  /** Lets a session run, hand off as the model behaves (or with this document), and starts the next one. */
  async handOff(session: BenchSession, behavior: Behavior | (string & {})): Promise<Received> {
    const known = BEHAVIORS.find(each => each === behavior)
    const written = known ? documentOf(session, known) : behavior
    writeFileSync(this.#transcript(session), transcriptOf(session, this.root, this.#now))
    this.#now += 3_600_000
    const asked = await this.#send(session, { type: 'PromptSubmitted', prompt: '/handoff' })
    let sentBack = false
    if (known === 'crash') await this.#send(session, { type: 'SessionEnded', reason: 'other' })
    else {
      const name = /handoff-[\d-]+\.md/.exec(asked.context ?? '')?.[0] ?? ''
      mkdirSync(join(this.root, '.bmad/handoffs'), { recursive: true })
      if (written !== undefined) writeFileSync(join(this.root, '.bmad/handoffs', name), written)
      for (let turn = 0; turn < 2; turn++) {
        const end = { type: 'TurnEnded', continued: false, lastMessage: 'I am done.' }
        const { continuation } = await this.#send(session, end)
        if (continuation && 'stop' in continuation) break
        sentBack ||= written !== undefined
      }
    }
    const next = { ...session, id: `${session.id}-next` }
    const { context = '' } = await this.#send(next, { type: 'SessionStarted', source: 'clear' })
    const name = /\.bmad\/handoffs\/(handoff-[\d-]+\.md)/.exec(context)?.[1] ?? ''
    const file = readFileSync(join(this.root, '.bmad/handoffs', name), 'utf8')
    const { document } = parseHandoff(file)
    const ledger = (await this.#handoff.files.ledger(this.root, name)) ?? ledgerOfDocument(document)
    const section = (wanted: string) => sectionText(document, ledger, wanted) ?? ''
    const named = [...context.matchAll(/baton handoff show (\S+) --section ([\w-]+)/g)].flatMap(
      ([, file, wanted]) =>
        file === name && wanted !== undefined && wanted !== 'replaced' ? section(wanted) : [],
    )
    this.#current = next.id
    return {
      context,
      sections: named,
      section,
      stored: `${file}\n${SECTIONS.map(section).join('\n')}`,
      sentBack,
    }
  }

  /** In a chain, the session that started last. */
  #current: string | undefined

  async #send(session: BenchSession, event: object): Promise<Contribution> {
    const nativeSession = event && 'source' in event ? session.id : (this.#current ?? session.id)
    const id = sessionId(session.agent, nativeSession)
    const n = ++this.#n
    const now = this.#now + n * 1000
    const transcript = this.#transcript(session)
    const stamped = AgentEvent.parse({
      id: `evt_${String(n).padStart(20, '0')}`,
      at: new Date(now).toISOString(),
      agent: session.agent,
      session: id,
      nativeSession,
      transcript,
      ...event,
    })
    const known = { id, agent: session.agent, nativeSession, transcript, events: n + 5 }
    const outcome = await this.#handoff.reactor.react(stamped, {
      session: known as Session,
      project: this.root,
      config: Config.parse({}),
      now,
    })
    return { ...outcome?.now, ...(await outcome?.later?.run(new AbortController().signal)) }
  }

  #transcript(session: BenchSession): string {
    return join(this.#home, `${this.#current ?? session.id}.jsonl`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
