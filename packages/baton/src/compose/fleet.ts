import { FleetSession } from '@batonpass/contract/fleet'
import { gitClones } from '../adapters/git/clones.ts'
import { gitMerges } from '../adapters/git/merges.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { repositoryName } from '../claim/claim-issue.ts'
import type { Claims } from '../claim/claims.ts'
import { claimMerges } from '../claim/merge-steps.ts'
import type { ClaimPorts } from '../claim/ports.ts'
import { askToMerge } from '../fleet/ask-to-merge.ts'
import { Fleet } from '../fleet/fleet.ts'
import type { FleetAsks } from '../fleet/fleet-asks.ts'
import { FleetSettings, JobRecords, MergeAnswers, MergeRecords } from '../fleet/job-record.ts'
import type { MergePorts } from '../fleet/merge-ports.ts'
import { MergeQueue } from '../fleet/merge-queue.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import { SettingsKeeper } from '../fleet/settings.ts'
import { SourceFile, Sources } from '../fleet/sources.ts'
import { readJsonFile } from '../ports/json-files.ts'
import type { StartWorkflow } from './baton.ts'
import { fleetFacts } from './fleet-facts.ts'
import { FLEET_SETTINGS, type OpenedFleet } from './fleet-keeper.ts'
import { agentSteps, claimSteps, handoffSteps } from './fleet-steps.ts'
import type { ForgeKeeper } from './forge.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'
import { queueDatabase } from './queue-database.ts'
import type { Sessions } from './sessions.ts'
import { isOfFleet, membershipIn, sharedAsks, sharedBoard, sharedLeases } from './shared-fleet.ts'

/** Of those, the others get the newest. */
const MOST_SESSIONS = 100
const SOURCES = 'fleet/sources.json'

export interface FleetLinks {
  claims: Claims
  forges: ForgeKeeper
  sessions: Sessions
  asks: Asks
  claimPorts: ClaimPorts
  startWorkflow?: StartWorkflow | undefined
}

/** Builds the fleet. Imported only where one is used. */
export function composeFleet(ground: Ground, links: FleetLinks): OpenedFleet {
  const { stateDir, home, write, fault, redactor } = ground
  const { claims, forges, claimPorts } = links
  const database = queueDatabase(ground)
  const records = new JobRecords(systemSmallFiles, stateDir)
  const settings = new SettingsKeeper(
    {
      read: () => readJsonFile(systemSmallFiles, stateDir, FLEET_SETTINGS, FleetSettings),
      write: next => systemSmallFiles.write(stateDir, FLEET_SETTINGS, JSON.stringify(next)),
    },
    systemIds,
  )
  const journal: FleetPorts['journal'] = async entry => {
    await write([newEntry({ kind: 'fleet', ...entry })])
  }
  const announce = (project: string, text: string) => links.asks.tell({ project, text, kind: 'needs-input' })
  const repositoryOf = async (project: string) => repositoryName(await forges.open({ home: project }))

  const board = sharedBoard(ground)
  const membership =
    board &&
    membershipIn(ground, board, settings, journal, text => {
      void announce(home, text).catch(cause => fault('announcing a machine', cause))
    })
  const machines = sharedLeases(ground, claimPorts, settings, membership)
  const asks = board && membership && sharedAsks(ground, records, board, membership, journal)
  const merges = composeMerges(ground, links, { records, bases: machines, journal, announce })

  const fleet = new Fleet({
    records,
    settings,
    machines,
    membership,
    asks,
    merges: merges.queue,
    changedFiles: merges.changedFiles,
    queue: database.open,
    closeQueue: database.close,
    database: database.kind,
    clones: gitClones,
    repositoryOf,
    loginFor: forges.login,
    ...claimSteps(claims, claimPorts),
    ...handoffSteps(redactor, claimPorts),
    ...agentSteps(ground, links),
    ...fleetFacts(ground, links),
    ...shownWork(ground, links, records, asks),
    labelsOf: async (project, issue) =>
      (await (await forges.open({ home: project })).issue(issue).catch(() => undefined))?.labels ?? [],
    sources: new Sources({
      file: {
        read: () => readJsonFile(systemSmallFiles, stateDir, SOURCES, SourceFile),
        write: file => systemSmallFiles.write(stateDir, SOURCES, JSON.stringify(file)),
      },
      repositoryOf,
      forgeOf: project => forges.open({ home: project }),
      settingsOf: async project => (await claimPorts.config(project)).fleet,
      redact: redactor.text,
      clock: systemClock,
    }),
    journal,
    announce,
    redact: redactor.text,
    fault,
    clock: systemClock,
    ids: systemIds,
  })
  return {
    fleet,
    asks,
    async close() {
      await merges.queue.pause()
      membership?.stop()
      await asks?.stop()
      await board?.close()
      await database.end()
    },
  }
}

/** The merge queue, and the git commands that it and the fleet need. */
function composeMerges(
  { stateDir, env, redactor, fault }: Ground,
  { claims, forges, claimPorts, asks }: FleetLinks,
  parts: { records: JobRecords } & Pick<MergePorts, 'journal' | 'announce' | 'bases'>,
) {
  const git = gitMerges({ mergiraf: () => onPath('mergiraf', env) })
  const { records, ...others } = parts
  const queue = new MergeQueue({
    ...others,
    jobs: records,
    records: new MergeRecords(systemSmallFiles, stateDir),
    answers: new MergeAnswers(systemSmallFiles, stateDir),
    git,
    claimAt: clone => claims.at(clone),
    actions: claimMerges(claimPorts),
    isPaused: claim => claimPorts.paused?.(claim) ?? false,
    async look(claim) {
      await claims.readNow(claim)
    },
    agreeToClose: claim => claims.agreeToClose(claim),
    forgeOf: ({ project, repository }) => forges.open({ home: project, repository }),
    loginFor: forges.login,
    configOf: async project => (await claimPorts.config(project)).merge,
    askPerson: (record, claim, signal) => askToMerge(asks, record, claim, signal),
    redact: redactor.text,
    fault,
    clock: systemClock,
  })
  return { queue, changedFiles: (clone: string) => git.changedFiles(clone).catch(() => []) }
}

/** What people see of the fleet's work here, and of the others' questions. */
function shownWork(
  { redactor }: Ground,
  { asks, sessions }: FleetLinks,
  records: JobRecords,
  shared: FleetAsks | undefined,
): Pick<FleetPorts, 'openAsks' | 'sessionsHere'> {
  return {
    async openAsks() {
      const here = asks.open()
      const isOurs = await Promise.all(here.map(ask => isOfFleet(ask, records)))
      const others = (await shared?.others().catch(() => [])) ?? []
      return [...here.filter((_, index) => isOurs[index]), ...others].map(({ id, title, facts }) => ({
        id,
        title: redactor.text(title),
        ...(facts.machine ? { machine: facts.machine } : {}),
      }))
    },
    async sessionsHere() {
      const clones = new Set((await records.all()).map(({ clone }) => clone))
      const rows = (await sessions.ps()).filter(({ project }) => project && clones.has(project))
      return redactor.redact(rows.slice(-MOST_SESSIONS).map(row => FleetSession.parse(row)))
    },
  }
}
