import type { SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import { launchesOf } from '../adapters/agents/launches.ts'
import { transcriptsOf } from '../adapters/agents/readers.ts'
import { systemGit } from '../adapters/git/git.ts'
import { gitGrantFacts } from '../adapters/git/grant-facts.ts'
import { countedAnswer } from '../adapters/llm/cli.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Environment } from '../config/places.ts'
import type { News } from '../ports/channel.ts'
import type { Driver } from '../ports/driver.ts'
import type { Forge } from '../ports/forge.ts'
import type { IsPaused } from '../ports/is-paused.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import { DONE } from '../work/workflows/end-run.ts'
import { type HandsOffMode, type HandsOffParts, handsOffMode } from '../work/workflows/mode.ts'
import type { Announcement } from '../work/workflows/ports.ts'
import { noteUsage, privateCalls } from './model.ts'
import { newEntry } from './new-entry.ts'

export interface WorkflowParts {
  config: ConfigKeeper
  env: Environment
  home: string
  stateDir: string
  inMemory?: boolean
  ownCalls: OwnModelCalls
  forgeFor(project: string): Promise<Forge | undefined>
  proofs: HandsOffParts['proofs']
  claimOf: HandsOffParts['claimOf']
  showProof: HandsOffParts['showProof']
  compareReport: HandsOffParts['compareReport']
  driverAt(place: string): Driver | undefined
  write(entries: readonly NewEntry[]): Promise<unknown>
  /** Handles an event as if the agent had reported it. */
  tell: HandsOffParts['tell']
  /** Notifies people that a run has ended, in addition to the notice in the terminal. */
  announce?(announcement: Announcement): Promise<void>
  /** Whether another capability currently answers a session's stops. */
  busyElsewhere(session: SessionId): Promise<boolean>
  fault(during: string, cause: unknown): void
  paused?: IsPaused
}

/** Builds hands-off mode. */
export function composeWorkflow(parts: WorkflowParts): HandsOffMode {
  return handsOffMode({
    files: systemFiles,
    smallFiles: systemSmallFiles,
    git: systemGit,
    grantFacts: gitGrantFacts,
    driverAt: parts.driverAt,
    clock: systemClock,
    ids: systemIds,
    env: parts.env,
    home: parts.home,
    stateDir: parts.stateDir,
    ...(parts.inMemory ? { inMemory: true } : {}),
    transcriptsOf,
    answerOf: provider => launchesOf(provider).answer,
    answer: (call, signal) =>
      countedAnswer(privateCalls(parts), call, noteUsage('supervisor', parts), signal),
    forgeFor: parts.forgeFor,
    proofs: parts.proofs,
    claimOf: parts.claimOf,
    showProof: parts.showProof,
    compareReport: parts.compareReport,
    configOf: project => parts.config.get(project),
    async journal(about, body) {
      await parts.write([newEntry(body, about)])
    },
    tell: parts.tell,
    announce: parts.announce ?? (async () => {}),
    busyElsewhere: parts.busyElsewhere,
    fault: parts.fault,
    ...(parts.paused ? { paused: parts.paused } : {}),
  })
}

/** An end in a line for people, with the pull request's link when there is one. */
export function newsOf({ session, project, workflow, issue, end, reason, pullRequest }: Announcement): News {
  const about = `${workflow}${issue === undefined ? '' : ` #${issue}`}`
  if (end === 'question-parked')
    return { project, session, kind: 'needs-input', text: `⏸ ${about} is parked: ${reason}\n${project}` }
  const link = pullRequest === undefined ? '' : `\n${pullRequest}`
  return {
    project,
    session,
    kind: pullRequest !== undefined && DONE.has(end) ? 'pr-ready' : 'ended',
    text: `${end === 'proven' || end === 'accepted' ? '✅' : '🔔'} ${about} ${end}: ${reason}\n${project}${link}`,
  }
}
