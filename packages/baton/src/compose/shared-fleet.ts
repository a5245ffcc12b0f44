import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from '@batonpass/contract/ask'
import { systemClock } from '../adapters/system/clock.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { ClaimPorts } from '../claim/ports.ts'
import { FleetAsks } from '../fleet/fleet-asks.ts'
import type { JobRecords } from '../fleet/job-record.ts'
import { MachineLeases } from '../fleet/machine-leases.ts'
import { Membership } from '../fleet/membership.ts'
import { MembershipFile } from '../fleet/membership-file.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import type { SettingsKeeper } from '../fleet/settings.ts'
import { signedReports } from '../fleet/signed-report.ts'
import type { FleetBoard } from '../ports/fleet-board.ts'
import { readJsonFile } from '../ports/json-files.ts'
import { postgresBoard } from '../store/fleet-board.ts'
import type { Ground } from './ground.ts'

/** Holds the secret key of this machine: 0600, and hidden from agents with all of the state folder. */
const MEMBERSHIP = 'fleet/membership.json'

/** What machines show each other; undefined if this one has the database for itself. */
export function sharedBoard({ machine }: Ground): FleetBoard | undefined {
  const url = machine().config.fleet.postgres
  return url === '' ? undefined : postgresBoard(url)
}

export function membershipIn(
  { stateDir, machine }: Ground,
  board: FleetBoard,
  settings: SettingsKeeper,
  journal: FleetPorts['journal'],
  announce: (text: string) => void,
): Membership {
  return new Membership({
    board,
    file: {
      read: () => readJsonFile(systemSmallFiles, stateDir, MEMBERSHIP, MembershipFile),
      write: file => systemSmallFiles.write(stateDir, MEMBERSHIP, JSON.stringify(file)),
    },
    // Stored: the others know this machine by it from now on.
    machine: async () => ({
      id: (await settings.update(known => ({ ...known }))).machine,
      name: machine().config.fleet.name || hostname(),
    }),
    journal: (what, reason) => journal({ what, reason }),
    announce,
    clock: systemClock,
    pause: ms => pause(ms),
  })
}

/** The leases among machines; undefined if this one has the database for itself. */
export function sharedLeases(
  { machine }: Ground,
  { leases }: ClaimPorts,
  settings: SettingsKeeper,
  membership: Membership | undefined,
): MachineLeases | undefined {
  if (!membership) return undefined
  return new MachineLeases({
    leases: leases(),
    machine: async () => ({
      id: (await settings.read()).machine,
      name: machine().config.fleet.name || hostname(),
    }),
    ttlMs: () => machine().config.fleet.lease_minutes * 60_000,
    isMember: id => membership.isMember(id),
    reports: signedReports(membership),
    clock: systemClock,
  })
}

/** Asks of the fleet's sessions, shown on every machine of it. */
export const sharedAsks = (
  { redactor, fault }: Ground,
  records: JobRecords,
  board: FleetBoard,
  membership: Membership,
  journal: FleetPorts['journal'],
): FleetAsks =>
  new FleetAsks({
    board,
    membership,
    isOfFleet: ask => isOfFleet(ask, records),
    redact: redactor.redact,
    journal: reason => journal({ what: 'answered', reason }),
    fault,
    clock: systemClock,
    pause: ms => pause(ms, undefined, { ref: false }),
  })

export async function isOfFleet({ key, facts: { project } }: Ask, records: JobRecords): Promise<boolean> {
  // The question about a merge names the project from which the job came.
  const isMerge = key.startsWith('merge ')
  return (await records.all()).some(
    ({ clone, data }) => clone === project || (isMerge && data.project === project),
  )
}
