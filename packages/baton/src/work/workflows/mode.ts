import type { Session } from '@batonpass/contract/session'
import type { LoadedConfig } from '../../config/load.ts'
import type { Environment } from '../../config/places.ts'
import { batonHome } from '../../config/places.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Files } from '../../ports/files.ts'
import type { Reactor } from '../../ports/reactor.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { carryOver } from './carry-over.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import { workflowReactor } from './reactor.ts'
import { resumeParked } from './resume-run.ts'
import { filedRuns, quickToDeny, runsInMemory } from './run.ts'
import { reportSilentFailures } from './silent-failures.ts'
import { StateFiles } from './state-files.ts'
import { programSupervisor, type SupervisorParts } from './supervisor-program.ts'
import type { Workflow } from './workflow.ts'

export interface HandsOffParts
  extends SupervisorParts,
    Pick<
      WorkflowPorts,
      | 'git'
      | 'transcriptsOf'
      | 'forgeFor'
      | 'journal'
      | 'tell'
      | 'announce'
      | 'fault'
      | 'busyElsewhere'
      | 'driverAt'
    > {
  files: Files
  smallFiles: SmallFiles
  clock: Clock
  env: Environment
  home: string
  stateDir: string
  /** Nothing can be kept: runs live as long as the process. */
  inMemory?: boolean
  /** The configuration in force for a project, with the lines it came from. */
  configOf(project: string): Promise<Pick<LoadedConfig, 'config' | 'sources'>>
}

/** A workflow that runs right now, and the issue it is for. */
type ActiveRun = Workflow & { issue?: number | undefined }

/** Hands-off mode, put together. */
export interface HandsOffMode {
  reactor: Reactor
  /** The workflow that runs in a session right now, with its automatic permissions. */
  activeWorkflow(
    session: Pick<Session, 'id' | 'nativeSession'>,
    project: string,
  ): Promise<ActiveRun | undefined>
  /** Continues parked runs whose limit has been reset; to be called every few seconds. Gives how many went on. */
  tick(): Promise<number>
  carryOver(from: Session['id'], to: Parameters<typeof carryOver>[3]): Promise<boolean>
  /** All workflows of a project, and what is wrong with those that do not count. */
  catalogue(project: string): Promise<Catalogue>
}

export function handsOffMode(parts: HandsOffParts): HandsOffMode {
  const { smallFiles, env, home, stateDir, clock } = parts
  const catalogue = async (project: string): Promise<Catalogue> => {
    const { config, sources } = await parts.configOf(project)
    return readCatalogue(project, { workflows: config.workflows, sources }, parts)
  }
  const ports: WorkflowPorts = {
    files: new StateFiles(smallFiles, batonHome(env, home)),
    runs: parts.inMemory ? runsInMemory() : quickToDeny(filedRuns(smallFiles, stateDir)),
    workflows: async project => (await catalogue(project)).workflows,
    git: parts.git,
    transcriptsOf: parts.transcriptsOf,
    forgeFor: parts.forgeFor,
    supervisor: programSupervisor(parts),
    busyElsewhere: parts.busyElsewhere,
    driverAt: parts.driverAt,
    journal: parts.journal,
    tell: parts.tell,
    announce: parts.announce,
    fault: parts.fault,
  }
  const handsOff = new HandsOff(ports)
  return {
    reactor: workflowReactor(ports, handsOff),
    async activeWorkflow(session, project) {
      // Only what Baton itself began: a file that an agent wrote by hand brings no permissions.
      const run = await ports.runs.get(session.id)
      if (!run) return undefined
      const [found, { config }] = await Promise.all([
        ports.files.read(ports.files.rootFor(project), session.nativeSession),
        parts.configOf(project),
      ])
      if (found.kind !== 'state' || found.state.state !== 'initial' || !config.handsoff.enabled)
        return undefined
      if (run.workflow !== found.state.workflow) return undefined
      const workflow = (await ports.workflows(project)).findLast(each => each.name === found.state.workflow)
      return workflow && { ...workflow, issue: found.state.issue_no }
    },
    async tick() {
      await reportSilentFailures(ports)
      return resumeParked(ports, handsOff, clock.now())
    },
    carryOver: (from, to) => carryOver(ports, handsOff, from, to, clock.now()),
    catalogue,
  }
}
