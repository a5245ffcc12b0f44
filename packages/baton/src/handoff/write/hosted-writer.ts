import type { AgentName } from '@batonpass/contract/event'
import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { handoffContext } from '../context-form.ts'
import { parseHandoff, type ReadHandoff } from '../document/parse.ts'
import { type Evidence, type EvidencePorts, gatherEvidence } from '../evidence.ts'
import { completed, handoffFromEvidence } from '../from-evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
import { filesNamed } from '../ticked-items.ts'
import { documentErrors } from '../verify.ts'

export interface WriterPorts {
  evidence: EvidencePorts
  files: HandoffFiles
  /** Reads Baton's own session files. */
  reader: TranscriptReader
  /** What else is known about the work in a folder. */
  workOf(
    root: string,
  ): Promise<{ issue?: number | undefined; pr?: number | undefined; stage?: string | undefined }>
  /** The document is about to be told to a new session of the same agent. */
  passing?(about: About, name: string): Promise<void>
}

export interface About {
  root: string
  agent: AgentName
  /** The agent's own id of the session. */
  session: string
  /** Baton's file of it. */
  path: string
  focus?: string | undefined
  /** The document it began with. */
  parent?: string | undefined
  contextUsage?: number | undefined
}

export interface Written {
  /** The document as the next session gets it, in its wrapper. */
  context: string
  name: string
  writtenBy: 'agent' | 'baton'
  findings: HandoffFinding[]
}

/** Longer than any document that is worth reading: the rest of a reply is not looked at. */
const MAX_REPLY_LENGTH = 1_000_000

/** Judges what a session wrote about itself, and stores the document that counts. */
export class HandoffWriter {
  readonly #ports: WriterPorts

  constructor(ports: WriterPorts) {
    this.#ports = ports
  }

  async evidence(about: About, named: readonly string[] = []): Promise<Evidence> {
    const { root, agent, session, path } = about
    const work = await this.#ports.workOf(root)
    const found = await gatherEvidence(this.#ports.evidence, {
      root,
      ...work,
      named,
      transcript: { path, reader: this.#ports.reader },
    })
    // The file is Baton's; the session is the agent's.
    return { ...found, agent, session }
  }

  /** What is wrong with a reply as a document; nothing means that it may be used. */
  async judge(reply: string, about: About): Promise<{ read: ReadHandoff; findings: HandoffFinding[] }> {
    const read = parseHandoff(reply.slice(0, MAX_REPLY_LENGTH))
    const evidence = await this.evidence(about, filesNamed(read.document))
    return { read, findings: documentErrors(read, evidence, this.#ports.evidence.readTest) }
  }

  /** Stores the agent's document, or, where it does not hold, one that is written from evidence alone. */
  async store(
    judged: { read: ReadHandoff; findings: HandoffFinding[] },
    evidence: Evidence,
    about: About,
    now: number,
  ): Promise<Written> {
    const { files } = this.#ports
    const { read, findings } = judged
    const { focus, parent, contextUsage } = about
    const before = parent && (await files.read(about.root, parent).catch(() => undefined))?.document
    const writing = { now, focus, parent, contextUsage, before: before || undefined }
    const good = findings.length === 0
    const document: HandoffDocument = good
      ? completed(
          { ...read.document, contextUsage: read.document.contextUsage ?? contextUsage },
          evidence,
          writing,
          read.findings,
        )
      : handoffFromEvidence(evidence, writing)
    const clean = files.clean(document)
    const name = await files.store(about.root, clean, now)
    await this.#ports.passing?.(about, name)
    const context = handoffContext(clean, undefined, MAX_LENGTH)
    return { context, name, writtenBy: good ? 'agent' : 'baton', findings }
  }
}

/** No hook stands between: the whole of any sensible document fits. */
const MAX_LENGTH = 60_000
