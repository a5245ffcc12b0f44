import type {
  PermissionDecision,
  PermissionEffects,
  PermissionJudgement,
  PermissionStep,
} from '@batonpass/contract/permission'

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
  /** Folders outside the project in which the parts work. */
  readonly folders = new Set<string>()
  /** Servers that the parts contact, as they name them. */
  readonly contacts = new Set<string>()
  /** What downloads packages. */
  readonly installs = new Set<string>()
  /** Parts for which the broker does what they need. */
  readonly brokered = new Set<string>()
  /** The words that the broker will get for them. */
  readonly released: NonNullable<PermissionEffects['released']> = []
  /** Those of them that a grant covers when the broker does them. */
  readonly granted = new Set<string>()
  network = false
  outside = false
  /** Some part does more than read what it names. */
  opaque = false
  /** False once a part runs code that Baton did not read, or does what is only known when it runs. */
  understood = true
  #decision: PermissionDecision = 'allow'
  #reason = ''
  #final = false

  add(step: PermissionStep, final = false): void {
    if (this.trail.length < 200) this.trail.push(step)
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
        ...(this.folders.size > 0 ? { folders: [...this.folders] } : {}),
        ...(this.contacts.size > 0 ? { contacts: [...this.contacts] } : {}),
        ...(this.installs.size > 0 ? { installs: [...this.installs] } : {}),
        ...(this.brokered.size > 0 ? { brokered: [...this.brokered] } : {}),
        ...(this.released.length > 0 ? { released: this.released } : {}),
        ...(this.granted.size > 0 ? { granted: [...this.granted] } : {}),
        ...(brings.length > 0 ? { brings } : {}),
      },
      reversible: reversible && this.#decision !== 'deny' && this.#decision !== 'ask',
      final: this.#final,
      understood: this.understood && this.unknown.length === 0,
    }
  }
}
