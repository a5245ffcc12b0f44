import type {
  BrokeredPart,
  PermissionDecision,
  PermissionJudgement,
  PermissionStep,
} from '@batonpass/contract/permission'
import { isPlainAllow } from './containment.ts'

const ORDER: readonly PermissionDecision[] = ['allow', 'undecided', 'ask', 'deny']

/** Collects what each part gave; the strictest wins. */
export class JudgementCollector {
  readonly trail: PermissionStep[] = []
  readonly reads = new Set<string>()
  readonly writes = new Set<string>()
  readonly hosts = new Set<string>()
  readonly unknown: string[] = []
  /** What the parts need from outside the sandbox. */
  readonly leaves = new Set<string>()
  /** Parts of which the project's files decide what they run, and about which no rule of a person decided. */
  readonly ofProject = new Set<string>()
  /** Folders outside the project in which the parts work. */
  readonly folders = new Set<string>()
  /** Servers that the parts contact, as they name them. */
  readonly contacts = new Set<string>()
  /** What downloads packages. */
  readonly installs = new Set<string>()
  readonly #brokered: BrokeredPart[] = []
  network = false
  outside = false
  /** Some part does more than read what it names. */
  opaque = false
  /** False once a part runs code that Baton did not read, or does what is only known when it runs. */
  understood = true
  /** The position of the part that is looked at. */
  #at: number | undefined
  #decision: PermissionDecision = 'allow'
  #reason = ''
  #final = false

  /** The steps that `judge` adds belong to the part at this position. */
  judgePart<T>(at: number, judge: () => T): T {
    this.#at = at
    try {
      return judge()
    } finally {
      this.#at = undefined
    }
  }

  /** The broker does for the present part what it needs. */
  addBrokered(brokered: Omit<BrokeredPart, 'at'>): void {
    if (this.#at !== undefined) this.#brokered.push({ ...brokered, at: this.#at })
  }

  add(step: PermissionStep, final = false): void {
    // However long the command is: only what decides nothing afterwards is left out.
    const isBrokered = this.#at !== undefined && this.#brokered.at(-1)?.at === this.#at
    if (this.trail.length < 200 || isBrokered || !isPlainAllow(step))
      this.trail.push(this.#at === undefined ? step : { ...step, at: this.#at })
    const stricter = ORDER.indexOf(step.decision) - ORDER.indexOf(this.#decision)
    if (stricter > 0 || this.#reason === '') {
      this.#decision = stricter > 0 ? step.decision : this.#decision
      this.#reason = step.reason
    }
    if (final && step.decision === 'deny') {
      this.#final = true
      this.#reason = step.reason
    }
  }

  /** A deny that no rule and no person lifts. Gives false: nothing speaks for the part any more. */
  denyForGood(rule: string, part: string, reason: string): false {
    this.add({ rule, decision: 'deny', part, reason }, true)
    return false
  }

  /** Denied because Baton itself would be harmed. */
  protect(part: string, reason: string): false {
    return this.denyForGood('self-protection', part, reason)
  }

  /** Denied because it would reach what belongs to Baton. */
  close(part: string, what: string): false {
    return this.protect(part, `${what} is closed to agents`)
  }

  touch(paths: { reads: readonly string[]; writes: readonly string[] }): void {
    for (const path of paths.reads) this.reads.add(path)
    for (const path of paths.writes) this.writes.add(path)
  }

  judgement(reversible: boolean, brings: string[][] = []): PermissionJudgement {
    return {
      decision: this.#decision,
      reason: this.#reason,
      trail: this.trail,
      effects: {
        reads: [...this.reads],
        writes: [...this.writes],
        hosts: [...this.hosts],
        network: this.network,
        outside: this.outside,
        unknown: this.unknown,
        ...(this.leaves.size > 0 ? { leaves: [...this.leaves] } : {}),
        ...(this.ofProject.size > 0 ? { ofProject: [...this.ofProject] } : {}),
        ...(this.folders.size > 0 ? { folders: [...this.folders] } : {}),
        ...(this.contacts.size > 0 ? { contacts: [...this.contacts] } : {}),
        ...(this.installs.size > 0 ? { installs: [...this.installs] } : {}),
        ...(this.#brokered.length > 0 ? { brokered: this.#brokered } : {}),
        ...(brings.length > 0 ? { brings } : {}),
      },
      reversible: reversible && this.#decision !== 'deny' && this.#decision !== 'ask',
      final: this.#final,
      understood: this.understood && this.unknown.length === 0,
    }
  }
}
