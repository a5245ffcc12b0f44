import type { Config } from '@batonpass/contract/config'
import type { FleetEntry } from '@batonpass/contract/fleet'
import type { YesNo } from '../ask/yes-no-questions.ts'
import type { claimMerges } from '../claim/merge-steps.ts'
import type { ClaimRecord } from '../claim/record.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { GitLogin } from '../ports/git-work.ts'
import type { Merges } from '../ports/merges.ts'
import type { JobRecords, MergeAnswers, MergeRecord, MergeRecords } from './job-record.ts'
import type { MachineLeases } from './machine-leases.ts'

/** What the merge queue needs from the rest of Baton. */
export interface MergePorts {
  jobs: Pick<JobRecords, 'all'>
  records: MergeRecords
  /** Only questions write these, and only the queue writes `records`: neither can undo the other. */
  answers: MergeAnswers
  git: Merges
  /** Keeps machines from merging into the same base at the same time; absent if there is only this one. */
  bases?: Pick<MachineLeases, 'takeBase' | 'checkBase' | 'leaveBase' | 'leaveBases'> | undefined
  /** The claim that holds a clone. */
  claimAt(clone: string): Promise<ClaimRecord | undefined>
  /** Each action checks the claim's lease first. */
  actions: ReturnType<typeof claimMerges>
  /** A person paused everything, the project or the session: nothing may happen to it. */
  isPaused(claim: ClaimRecord): boolean
  /** Looks at the claim's pull request now. */
  look(claim: ClaimRecord): Promise<void>
  /** Lets the claim of a merged pull request close its issue. */
  agreeToClose(claim: ClaimRecord): Promise<void>
  forgeOf(data: MergeRecord['data']): Promise<Forge>
  loginFor(project: string): Promise<GitLogin | undefined>
  configOf(project: string): Promise<Config['merge']>
  askPerson(about: MergeRecord, claim: ClaimRecord, signal: AbortSignal): Promise<YesNo>
  journal(entry: Omit<FleetEntry, 'kind'>): Promise<void>
  announce(project: string, text: string): Promise<void>
  redact(text: string): string
  fault(during: string, cause: unknown): void
  clock: Clock
}
