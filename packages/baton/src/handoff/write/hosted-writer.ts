import type { AgentName } from '@batonpass/contract/event'
import type { HandoffFinding } from '@batonpass/contract/handoff'
import type { TranscriptReader } from '../../ports/transcript.ts'
import { handoffContext } from '../context-form.ts'
import { parseHandoff } from '../document/parse.ts'
import { type Evidence, type EvidencePorts, gatherEvidence } from '../evidence.ts'
import type { HandoffFiles } from '../handoff-files.ts'
import type { Lookups } from '../statements/lookups.ts'
import { type CheckedDocument, checkWritten, storeChecked } from './document-writer.ts'

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
  beforeDelivery?(about: HostedHandoff, name: string): Promise<void>
}

/** The hosted session that hands off. */
export interface HostedHandoff {
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

export interface WrittenHandoff {
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

  /** What git and the session file show about the session. */
  async gatherEvidence(about: HostedHandoff, lookups?: Lookups): Promise<Evidence> {
    const { root, agent, session, path } = about
    const work = await this.#ports.workOf(root)
    const found = await gatherEvidence(this.#ports.evidence, {
      root,
      ...work,
      lookups,
      transcript: { path, reader: this.#ports.reader },
    })
    // The transcript is Baton's session file, so take agent and session id from the caller.
    return { ...found, agent, session }
  }

  /** Checks a reply as a handoff document; without findings it may be used. */
  checkReply(reply: string, about: HostedHandoff): Promise<CheckedDocument> {
    const written = parseHandoff(reply.slice(0, MAX_REPLY_LENGTH), 'context')
    return checkWritten(
      written,
      lookups => this.gatherEvidence(about, lookups),
      this.#ports.evidence.readTest,
    )
  }

  /** Stores the agent's document, or one from evidence if the agent's failed the check. */
  async storeDocument(checked: CheckedDocument, about: HostedHandoff, now: number): Promise<WrittenHandoff> {
    const { document, ledger, name, writtenBy } = await storeChecked(this.#ports.files, checked, {
      ...about,
      now,
    })
    await this.#ports.beforeDelivery?.(about, name)
    const context = handoffContext(document, { ledger, longest: MAX_LENGTH })
    return { context, name, writtenBy, findings: [...checked.findings] }
  }
}

/** No hook limits the length here, so any sensible document fits. */
const MAX_LENGTH = 60_000
