import { setTimeout as pause } from 'node:timers/promises'
import type { Ask } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { FleetSession } from '@batonpass/contract/fleet'
import { launchesOf } from '../adapters/agents/launches.ts'
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
import { FleetAsks } from '../fleet/fleet-asks.ts'
import { FleetSettings, JobRecords, MergeAnswers, MergeRecords } from '../fleet/job-record.ts'
import { MergeQueue } from '../fleet/merge-queue.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import { SettingsKeeper } from '../fleet/settings.ts'
import { SourceFile, Sources } from '../fleet/sources.ts'
import { readJsonFile } from '../ports/json-files.ts'
import { fleetFacts } from './fleet-facts.ts'
import { FLEET_SETTINGS, type OpenedFleet } from './fleet-keeper.ts'
import { claimSteps, handoffSteps } from './fleet-steps.ts'
import type { ForgeKeeper } from './forge.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'
import { queueDatabase } from './queue-database.ts'
import type { Sessions } from './sessions.ts'
import { membershipIn, sharedBoard, sharedLeases } from './shared-fleet.ts'

/** Of those, the others get the newest. */
const MOST_SESSIONS = 100
const WORKFLOW = 'issue-to-impl'
const SOURCES = 'fleet/sources.json'

export interface FleetLinks {
  claims: Claims
  forges: ForgeKeeper
  sessions: Sessions
  asks: Asks
  claimPorts: ClaimPorts
  startWorkflow?:
    | ((
        agent: string,
        workflow: string,
        words: string,
        project: string,
      ) => { prompt: string; args: string[] })
    | undefined
}

/** Builds the fleet. Imported only where one is used. */
export function composeFleet(ground: Ground, links: FleetLinks): OpenedFleet {
  const { stateDir, env, home, write, fault, redactor } = ground
  const { claims, forges, sessions } = links
  const database = queueDatabase(ground)

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
  const board = sharedBoard(ground)
  const announce = (project: string, text: string) => links.asks.tell({ project, text, kind: 'needs-input' })
  const membership =
    board &&
    membershipIn(ground, board, settings, journal, text => {
      void announce(home, text).catch(cause => fault('announcing a machine', cause))
    })
  const machines = sharedLeases(ground, links.claimPorts, settings, membership)
  const repositoryOf = async (project: string) => repositoryName(await forges.open({ home: project }))
  const records = new JobRecords(systemSmallFiles, stateDir)
  const isOfFleet = async ({ key, facts: { project } }: Ask) => {
    const all = await records.all()
    // The question about a merge names the project from which the job came.
    const isMerge = key.startsWith('merge ')
    return all.some(({ clone, data }) => clone === project || (isMerge && data.project === project))
  }
  const asks =
    board &&
    membership &&
    new FleetAsks({
      board,
      membership,
      isOfFleet,
      redact: redactor.redact,
      journal: reason => journal({ what: 'answered', reason }),
      fault,
      clock: systemClock,
      pause: ms => pause(ms, undefined, { ref: false }),
    })
  const git = gitMerges({ mergiraf: () => onPath('mergiraf', env) })
  const merges = new MergeQueue({
    jobs: records,
    records: new MergeRecords(systemSmallFiles, stateDir),
    answers: new MergeAnswers(systemSmallFiles, stateDir),
    git,
    bases: machines,
    claimAt: clone => claims.at(clone),
    actions: claimMerges(links.claimPorts),
    isPaused: claim => links.claimPorts.paused?.(claim) ?? false,
    async look(claim) {
      await claims.readNow(claim)
    },
    agreeToClose: claim => claims.agreeToClose(claim),
    forgeOf: ({ project, repository }) => forges.open({ home: project, repository }),
    loginFor: forges.login,
    configOf: async project => (await links.claimPorts.config(project)).merge,
    askPerson: (record, claim, signal) => askToMerge(links.asks, record, claim, signal),
    journal,
    announce,
    redact: redactor.text,
    fault,
    clock: systemClock,
  })

  const ports: FleetPorts = {
    records,
    merges,
    changedFiles: clone => git.changedFiles(clone).catch(() => []),
    settings,
    machines,
    membership,
    asks,
    async openAsks() {
      const here = links.asks.open()
      const isOurs = await Promise.all(here.map(isOfFleet))
      const others = (await asks?.others().catch(() => [])) ?? []
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
    queue: database.open,
    closeQueue: database.close,
    database: database.kind,
    clones: gitClones,
    repositoryOf,
    loginFor: forges.login,
    ...claimSteps(claims, links.claimPorts),
    ...handoffSteps(redactor, links.claimPorts),
    ...fleetFacts(ground, links),
    async startAgent({ agent, clone, project, issue, terminal }) {
      const launches = launchesOf(agent)
      // A clone of what the user trusts, with the same remote.
      await launches.inheritTrust?.(clone, project, { home, configFolder: env.CLAUDE_CONFIG_DIR })
      const start = links.startWorkflow?.(agent, WORKFLOW, String(issue), clone)
      await sessions.run({
        agent: launches.agent,
        driver: 'tmux',
        cwd: clone,
        title: terminal,
        prompt: start?.prompt ?? `/${WORKFLOW} ${issue}`,
        args: start?.args ?? [],
        env: {},
        tools: false,
      })
    },
    obstacleTo(agent) {
      const missing = ['tmux', launchesOf(agent).interactive({}).program].find(
        program => !program.includes('/') && !onPath(program, env),
      )
      return missing && `${missing} is not installed`
    },
    async endAgent(terminal) {
      await sessions.kill(terminal).catch(cause => {
        if (!(cause instanceof BatonError) || cause.code !== 'not_found') fault('ending an agent', cause)
      })
    },
    labelsOf: async (project, issue) =>
      (await (await forges.open({ home: project })).issue(issue).catch(() => undefined))?.labels ?? [],
    sources: new Sources({
      file: {
        read: () => readJsonFile(systemSmallFiles, stateDir, SOURCES, SourceFile),
        write: file => systemSmallFiles.write(stateDir, SOURCES, JSON.stringify(file)),
      },
      repositoryOf,
      forgeOf: project => forges.open({ home: project }),
      settingsOf: async project => (await links.claimPorts.config(project)).fleet,
      redact: redactor.text,
      clock: systemClock,
    }),
    journal,
    announce,
    redact: redactor.text,
    fault,
    clock: systemClock,
    ids: systemIds,
  }
  return {
    fleet: new Fleet(ports),
    asks,
    async close() {
      await merges.pause()
      membership?.stop()
      await asks?.stop()
      await board?.close()
      await database.end()
    },
  }
}
