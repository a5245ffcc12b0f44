import type { Ask, AskAnswer } from '@batonpass/contract/ask'
import type { AskId, SessionId } from '@batonpass/contract/ids'
import type { NoticeKind } from '@batonpass/contract/notice'

/** A way to reach a person. One that fails costs the others nothing. */
export interface Channel {
  readonly name: string
  /** Called once, before anything is shown. What was shown before a restart is found in the channel's memory. */
  start(answering: AnswerHandler): Promise<void>
  stop(): Promise<void>
  /**
   * Shows an open ask; showing it again (after a restart) changes nothing. Gives whether a person can see it now:
   * false where this channel is not set up for it. `signal` aborts when the ask is settled meanwhile.
   */
  show(ask: Ask, signal: AbortSignal): Promise<boolean>
  /** Says what became of it, wherever it was shown. Called after `show` has ended. */
  settle(ask: Ask): Promise<void>
  /** Tells people something that wants no answer. Gives whether it reached anybody. */
  tell?(news: News): Promise<boolean>
}

/** Something worth knowing that is no question. */
export interface News {
  project: string
  text: string
  /** What it is about; absent: something went wrong. */
  kind?: NoticeKind | undefined
  session?: SessionId | undefined
}

/** What a person said, before it is stamped. */
export interface Given extends Pick<AskAnswer, 'option' | 'by'> {
  reason?: string | undefined
  /** What the person saw; without it the answer is for whatever the ask's id names. */
  fingerprint?: string | undefined
}

/**
 * What became of an answer. `taken`: it settled the ask. Everything else changed nothing, except `expired`:
 * the answer came after the time was up, and the ask is now timed out.
 */
export type Verdict = 'taken' | 'expired' | 'closed' | 'another' | 'not-offered' | 'reason-missing' | 'early'

export interface Answered {
  verdict: Verdict | 'unknown'
  ask: Ask | undefined
}

/** What channels may do. */
export interface AnswerHandler {
  /** Resolves when the answer is durable; anything but `taken` did not count. */
  answer(id: string, given: Given): Promise<Answered>
  find(id: string): Promise<Ask | undefined>
  /** The channel can no longer hear answers to these asks. */
  lost(channel: string, asks: readonly AskId[]): void
}
