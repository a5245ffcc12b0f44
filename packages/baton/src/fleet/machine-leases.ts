import { createHash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'
import { MachineReport, type MachineView } from '@batonpass/contract/fleet'
import type { Clock } from '../ports/clock.ts'
import type { LeaseHandle, LeaseName, Leases } from '../ports/lease.ts'
import type { SignedReports } from './signed-report.ts'

export interface MachineLeasesPorts {
  leases: Leases
  /** This machine's id, and what people call it. */
  machine(): Promise<{ id: string; name: string }>
  ttlMs(): number
  /** Whether a machine with this id belongs to the fleet: anyone who can write to the database can report. */
  isMember?(id: string): boolean
  /** Signs and verifies what machines report; absent: no one else can write to the database. */
  reports?: SignedReports | undefined
  clock: Pick<Clock, 'elapsed'>
}

/** No repository has a name with a space in it. */
const MACHINES = 'fleet machines'

/**
 * The leases that machines of a fleet hold in the database they share, with the mechanism of claims: the database's clock, and
 * tokens that only grow. A machine leases its own name, which shows that it is alive, and each base branch while it merges.
 */
export class MachineLeases {
  readonly #ports: MachineLeasesPorts
  /** The base branches that this machine merges into. */
  readonly #bases = new Map<string, LeaseHandle>()
  #reportedAt = Number.NEGATIVE_INFINITY
  #reported: string | undefined
  #reporting: Promise<void> | undefined

  constructor(ports: MachineLeasesPorts) {
    this.#ports = ports
  }

  /** Shows that this machine is alive, and keeps its base branches. Several times within each lifetime of a lease. */
  report(report: MachineReport): Promise<void> {
    this.#reporting ??= this.#report(report).finally(() => {
      this.#reporting = undefined
    })
    return this.#reporting
  }

  async #report(report: MachineReport): Promise<void> {
    const { leases, ttlMs, clock } = this.#ports
    const details = JSON.stringify(report)
    if (details === this.#reported && clock.elapsed() - this.#reportedAt < ttlMs() / 10) return
    const { id, name } = await this.#ports.machine()
    const signed = await this.#ports.reports?.sign(report)
    const owner = { claim: id, agent: name, host: name, details: signed ?? details }
    await leases.take(machineName(id), owner, ttlMs())
    for (const [base, handle] of this.#bases)
      if (!(await leases.renew(baseLease(base), handle, ttlMs()))) this.#bases.delete(base)
    this.#reportedAt = clock.elapsed()
    this.#reported = details
  }

  /** This machine stops working: the others need not wait for its silence. */
  async leave(): Promise<void> {
    const { leases } = this.#ports
    const [left] = await Promise.allSettled([this.leaveBases()])
    const { id } = await this.#ports.machine()
    const held = await leases.find(machineName(id))
    if (held?.claim === id) await leases.release(machineName(id), held)
    this.#reportedAt = Number.NEGATIVE_INFINITY
    if (left.status === 'rejected') throw left.reason
  }

  async machines(): Promise<MachineView[]> {
    const { id } = await this.#ports.machine()
    const held = await this.#ports.leases.list({ repository: MACHINES, folder: '' })
    const isMember = (claim: string) => this.#ports.isMember?.(claim) ?? true
    return Promise.all(
      held.map(async ({ claim, agent, until, dead, details }) => ({
        id: claim,
        name: agent,
        isHere: claim === id,
        isAlive: !dead && isMember(claim),
        isMember: isMember(claim),
        until: new Date(until).toISOString(),
        ...((await this.#readReport(claim, details)) ?? NO_REPORT),
      })),
    )
  }

  async #readReport(id: string, details: string | undefined): Promise<MachineReport | undefined> {
    const { reports } = this.#ports
    return reports ? reports.read(id, details) : readReport(details)
  }

  /** Takes a base branch to merge into it. Returns the name of the machine that has it, or undefined: it is ours. */
  async takeBase(base: string): Promise<string | undefined> {
    const { leases, ttlMs } = this.#ports
    const { id, name } = await this.#ports.machine()
    const owner = { claim: id, agent: name, host: name }
    const first = await leases.take(baseLease(base), owner, ttlMs())
    const taken =
      !first.held && first.by.dead
        ? await leases.takeOver(baseLease(base), owner, ttlMs(), first.by.token)
        : first
    if (!taken.held) return taken.by.agent
    this.#bases.set(base, taken.handle)
    return undefined
  }

  /** Fails unless this machine still has the base branch. Called right before it changes something there. */
  async checkBase(base: string): Promise<void> {
    const handle = this.#bases.get(base)
    if (handle && (await this.#ports.leases.holds(baseLease(base), handle))) return
    this.#bases.delete(base)
    throw new BatonError('daemon_busy', `Another machine of the fleet merges into this base branch now`)
  }

  /** The others need not wait for this machine, which merges nothing now. */
  async leaveBases(): Promise<void> {
    // Each, also if the database fails for one.
    const left = await Promise.allSettled([...this.#bases.keys()].map(base => this.leaveBase(base)))
    for (const each of left) if (each.status === 'rejected') throw each.reason
  }

  async leaveBase(base: string): Promise<void> {
    const handle = this.#bases.get(base)
    this.#bases.delete(base)
    if (handle) await this.#ports.leases.release(baseLease(base), handle)
  }
}

const NO_REPORT: MachineReport = {
  ...{ mode: 'down', slots: 0, busy: 0, agents: [], sessions: [], merges: [], changes: [] },
}

/** The row's number comes from the machine's random id: 48 bits of its digest. */
const machineName = (id: string): LeaseName => ({
  repository: MACHINES,
  issue: createHash('sha256').update(id).digest().readUIntBE(0, 6),
  folder: '',
})

const baseLease = (base: string): LeaseName => ({ repository: `fleet merge ${base}`, issue: 0, folder: '' })

function readReport(details: string | undefined): MachineReport | undefined {
  try {
    return MachineReport.parse(JSON.parse(details ?? ''))
  } catch {
    return undefined
  }
}
