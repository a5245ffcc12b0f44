import type { AgentName } from '@batonpass/contract/event'
import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { handoffContext } from '../context-form.ts'
import { parseHandoff, type ReadHandoff } from '../document/parse.ts'
import { type Evidence, type EvidencePorts, gatherEvidence } from '../evidence.ts'
import { completeDocument, handoffFromEvidence } from '../from-evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
import { namedFiles } from '../ticked-items.ts'
import { documentErrors } from '../verify.ts'

export interface WriterPorts {
  evidence: EvidencePorts
  files: HandoffFiles
  /** Reads Baton's own session files. */
  reader: TranscriptReader
  /** Issue, pull request and stage of the work in a folder, if known. */
  workOf(
    root: string,
  ): Promise<{ issue?: number | undefined; pr?: number | undefined; stage?: string | undefined }>
  /** Called before a new session of the same agent gets the document. */
  passing?(about: About, name: string): Promise<void>
}

export interface About {
  root: string
  agent: AgentName
  /** The agent's own session id. */
  session: string
  /** Baton's session file. */
  path: string
  focus?: string | undefined
  /** Name of the document that the session started with. */
  parent?: string | undefined
  contextUsage?: number | undefined
}

export interface Written {
  /** The wrapped document, as the next session receives it. */
  context: string
  name: string
  writtenBy: 'agent' | 'baton'
  findings: HandoffFinding[]
}

/** The rest of a longer reply is ignored. */
const MAX_REPLY_LENGTH = 1_000_000

/** Checks the handoff document that a hosted session wrote and stores it, or one from evidence. */
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
    // The transcript is Baton's session file, so take agent and session id from the caller.
    return { ...found, agent, session }
  }

  /** Checks a reply as a handoff document; without findings it may be used. */
  async judge(reply: string, about: About): Promise<{ read: ReadHandoff; findings: HandoffFinding[] }> {
    const read = parseHandoff(reply.slice(0, MAX_REPLY_LENGTH))
    const evidence = await this.evidence(about, namedFiles(read.document))
    return { read, findings: documentErrors(read, evidence, this.#ports.evidence.readTest) }
  }

  /** Stores the agent's document, or one from evidence if the agent's failed the check. */
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
      ? completeDocument(
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

/** No hook limits the length here, so any sensible document fits. */
const MAX_LENGTH = 60_000
