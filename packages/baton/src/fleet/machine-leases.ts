import { createHash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'
import { MachineReport, type MachineView } from '@batonpass/contract/fleet'
import type { Clock } from '../ports/clock.ts'
import type { LeaseHandle, LeaseName, Leases } from '../ports/lease.ts'

export interface MachineLeasesPorts {
  leases: Leases
  /** This machine's id, and what people call it. */
  machine(): Promise<{ id: string; name: string }>
  ttlMs(): number
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
  readonly #lanes = new Map<string, LeaseHandle>()
  #beatAt = Number.NEGATIVE_INFINITY
  #reported: string | undefined
  #beating: Promise<void> | undefined

  constructor(ports: MachineLeasesPorts) {
    this.#ports = ports
  }

  /** Shows that this machine is alive, and keeps its base branches. Several times within each lifetime of a lease. */
  beat(report: MachineReport): Promise<void> {
    this.#beating ??= this.#beat(report).finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  async #beat(report: MachineReport): Promise<void> {
    const { leases, ttlMs, clock } = this.#ports
    const details = JSON.stringify(report)
    if (details === this.#reported && clock.elapsed() - this.#beatAt < ttlMs() / 10) return
    const { id, name } = await this.#ports.machine()
    const owner = { claim: id, agent: name, host: name, details }
    await leases.take(machineName(id), owner, ttlMs())
    for (const [lane, grip] of this.#lanes)
      if (!(await leases.renew(laneName(lane), grip, ttlMs()))) this.#lanes.delete(lane)
    this.#beatAt = clock.elapsed()
    this.#reported = details
  }

  /** This machine stops working: the others need not wait for its silence. */
  async leave(): Promise<void> {
    const { leases } = this.#ports
    const { id } = await this.#ports.machine()
    const held = await leases.find(machineName(id))
    if (held?.claim === id) await leases.release(machineName(id), held)
    this.#beatAt = Number.NEGATIVE_INFINITY
  }

  async machines(): Promise<MachineView[]> {
    const { id } = await this.#ports.machine()
    const held = await this.#ports.leases.list({ repository: MACHINES, folder: '' })
    return held.map(({ claim, agent, until, dead, details }) => ({
      id: claim,
      name: agent,
      isHere: claim === id,
      isAlive: !dead,
      until: new Date(until).toISOString(),
      ...(readReport(details) ?? { mode: 'down', slots: 0, busy: 0, agents: [] }),
    }))
  }

  /** Takes a base branch to merge into it. Returns the name of the machine that has it, or undefined: it is ours. */
  async takeLane(lane: string): Promise<string | undefined> {
    const { leases, ttlMs } = this.#ports
    const { id, name } = await this.#ports.machine()
    const owner = { claim: id, agent: name, host: name }
    const first = await leases.take(laneName(lane), owner, ttlMs())
    const taken =
      !first.held && first.by.dead
        ? await leases.takeOver(laneName(lane), owner, ttlMs(), first.by.token)
        : first
    if (!taken.held) return taken.by.agent
    this.#lanes.set(lane, taken.grip)
    return undefined
  }

  /** Fails unless this machine still has the base branch. Called right before it changes something there. */
  async checkLane(lane: string): Promise<void> {
    const grip = this.#lanes.get(lane)
    if (grip && (await this.#ports.leases.holds(laneName(lane), grip))) return
    this.#lanes.delete(lane)
    throw new BatonError('daemon_busy', `Another machine of the fleet merges into this base branch now`)
  }

  async leaveLane(lane: string): Promise<void> {
    const grip = this.#lanes.get(lane)
    this.#lanes.delete(lane)
    if (grip) await this.#ports.leases.release(laneName(lane), grip)
  }
}

/** The row's number comes from the machine's random id: 48 bits of its digest. */
const machineName = (id: string): LeaseName => ({
  repository: MACHINES,
  issue: createHash('sha256').update(id).digest().readUIntBE(0, 6),
  folder: '',
})

const laneName = (lane: string): LeaseName => ({ repository: `fleet merge ${lane}`, issue: 0, folder: '' })

function readReport(details: string | undefined): MachineReport | undefined {
  try {
    return MachineReport.parse(JSON.parse(details ?? ''))
  } catch {
    return undefined
  }
}
