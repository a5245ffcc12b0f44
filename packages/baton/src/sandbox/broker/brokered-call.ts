import type { ReleasedBy } from '@batonpass/contract/permission'
import type { z } from 'zod'
import type {
  BrokerCall,
  BrokerListener,
  BrokerSockets,
  OutsideWork,
  RecordedRepository,
} from '../../ports/broker.ts'
import { TextAnswer } from './broker-messages.ts'
import { commandText } from './command-text.ts'
import type { OutgoingAction } from './released-actions.ts'

export interface BrokerParts {
  sockets: BrokerSockets
  outside: OutsideWork
  /** What the permission chain makes of a command that shall run outside: undefined lets it run. */
  whyNot(session: string, request: BrokerRequest, waiting: BrokerWaiting): Promise<string | undefined>
  /** Who allowed exactly this before its command ran; each yes counts once. */
  takeRelease(session: string, outgoing: OutgoingAction, byRule: boolean): Promise<ReleasedBy | undefined>
  /** Reports what became of a gh command that `whyNot` let run: its output, or undefined if it failed or did not run. */
  ended(session: string, request: BrokerRequest, output: string | undefined): Promise<void>
  /** Asks the person to open a host, a port or a path to the session's commands, and waits for the answer. */
  requestAccess(
    session: string,
    wanted: { kind: string; name: string; methods: string | undefined },
    signal: AbortSignal,
  ): Promise<{ isGranted: boolean; line: string }>
  /** Who commits in a project; undefined unless the user wants commits of agents signed with their key. */
  signer(
    session: string,
    project: string,
  ): Promise<{ name?: string | undefined; email?: string | undefined } | undefined>
  /** Milliseconds since the epoch. */
  now(): number
  newCall(): string
  /** Records what the broker did. */
  record(session: string, entry: BrokerRecord): Promise<void>
  fault(during: string, cause: unknown): void
}

export interface BrokerRequest {
  /** Names this call among all of the session. */
  call: string
  words: readonly string[]
  cwd: string
}

export interface BrokerWaiting {
  signal: AbortSignal
  /** Who allowed it before the command ran: asked only if nothing else decides, because it counts once. */
  takeRelease(byRule: boolean): Promise<ReleasedBy | undefined>
}

export interface BrokerRecord {
  /** What went through the permission chain: the journal then says how it ended. */
  request?: BrokerRequest | undefined
  command: string
  cwd: string
  /** Undefined if it did not run. */
  exit?: number
  /** Why it did not run. */
  refused?: string
  /** What was pushed: the commit and the branch. */
  pushed?: readonly { commit: string; target: string }[]
}

export interface Brokered {
  listener: BrokerListener
  repositories: Map<string, RecordedRepository>
  /** The session's project. */
  worktree: string
  /** Folders outside the project that commands of this session may change. */
  writable: readonly string[]
}

/** One call of a command in the sandbox, with what the broker knows about its session. */
export interface BrokeredCall {
  parts: BrokerParts
  session: string
  brokered: Brokered
  call: BrokerCall
}

/** Records that a command did not run, and says why. */
export async function refuse(
  { parts, session, call }: Pick<BrokeredCall, 'parts' | 'session' | 'call'>,
  reason: string,
  words: readonly string[] = [call.program, ...call.argv],
  request?: BrokerRequest,
): Promise<number> {
  await parts.record(session, { request, command: commandText(words), cwd: call.cwd, refused: reason })
  call.err(`baton: ${reason}\n`)
  return 1
}

/** What the permission chain judges. */
export const requestOf = (
  { parts, brokered }: BrokeredCall,
  words: readonly string[],
  cwd = brokered.worktree,
): BrokerRequest => ({ call: parts.newCall(), words, cwd })

/**
 * Takes a command through the permission chain. Undefined: it may run; otherwise the exit code of its refusal. `isClear`: its words
 * leave no choice of the remote, so a rule that allows the command that it is part of covers it.
 */
export async function refusedByChain(
  work: BrokeredCall,
  request: BrokerRequest,
  { head, isClear = true }: { head?: string | undefined; isClear?: boolean } = {},
): Promise<number | undefined> {
  const { parts, session, call } = work
  const outgoing = {
    words: [call.program, ...call.argv],
    cwd: call.cwd,
    branch: head?.replace(/^refs\/heads\//, ''),
  }
  const takeRelease = (byRule: boolean) => parts.takeRelease(session, outgoing, byRule && isClear)
  const why = await parts.whyNot(session, request, { signal: call.signal, takeRelease })
  if (why === undefined) return undefined
  const isGone = call.signal.aborted
  return refuse(work, isGone ? 'The command ended before an answer came.' : why, request.words, request)
}

/** Has a file read inside, with the rights of the sandbox. */
export const readInside = async (call: BrokerCall, path: string): Promise<z.infer<typeof TextAnswer>> =>
  TextAnswer.parse(await call.order({ do: 'read', path }))
