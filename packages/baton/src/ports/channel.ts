import type { Ask, AskAnswer } from '@batonpass/contract/ask'
import type { AskId, SessionId } from '@batonpass/contract/ids'
import type { NoticeKind } from '@batonpass/contract/notice'

/** A way to reach a person. A failing channel does not affect the others. */
export interface Channel {
  readonly name: string
  /** Called once, before `show`. The channel's memory lists what it showed before a restart. */
  start(answering: AnswerHandler): Promise<void>
  stop(): Promise<void>
  /**
   * Shows an open ask; showing it again after a restart has no effect. Returns whether a person can see it now; false if
   * this channel is not set up. `signal` aborts when the ask is settled in the meantime.
   */
  show(ask: Ask, signal: AbortSignal): Promise<boolean>
  /** Shows the outcome everywhere the ask was shown. Called after `show` has finished. */
  settle(ask: Ask): Promise<void>
  /** Sends a notice. Returns whether it reached a person. */
  tell?(news: News): Promise<boolean>
}

/** A notice: a message to the user that needs no answer. */
export interface News {
  project: string
  text: string
  /** What the notice is about; absent for a failure. */
  kind?: NoticeKind | undefined
  session?: SessionId | undefined
}

/** A person's answer, before Baton adds the time. */
export interface Given extends Pick<AskAnswer, 'option' | 'by'> {
  reason?: string | undefined
  /** With the option `reply`. */
  replies?: AskAnswer['replies'] | undefined
  /** The fingerprint of what the person saw. Without it, the answer counts for the ask with that id. */
  fingerprint?: string | undefined
}

/**
 * What happened to an answer. `taken`: it settled the ask. `expired`: it came too late, and the ask is now timed out.
 * All others changed nothing.
 */
export type Verdict =
  | 'taken'
  | 'expired'
  | 'closed'
  | 'another'
  | 'not-offered'
  | 'reason-missing'
  | 'invalid'
  | 'early'

export interface Answered {
  verdict: Verdict | 'unknown'
  ask: Ask | undefined
  /** With `invalid`: what is wrong with the answer. */
  problem?: string | undefined
}

/** What a channel can call. */
export interface AnswerHandler {
  /** Resolves when the answer is stored. Any verdict except `taken` means that it did not count. */
  answer(id: string, given: Given): Promise<Answered>
  find(id: string): Promise<Ask | undefined>
  /** Reports that the channel can no longer receive answers to these asks. */
  lost(channel: string, asks: readonly AskId[]): void
}
