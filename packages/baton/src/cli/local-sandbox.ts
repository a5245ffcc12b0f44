import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { agents } from '../adapters/agents/agent-list.ts'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { ToolEvent } from '../permission/ask-for.ts'
import { containmentPlace, mayLeaveByMode, openSteps, whyOutside } from '../permission/containment.ts'
import { canRunInside } from '../permission/run-inside.ts'
import type { SandboxStatus } from '../ports/sandbox.ts'
import { sessionSettings } from '../sandbox/access/access.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import { whyNoBoundary } from '../sandbox/plan.ts'
import { findDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'
import { type Outlook, outlook } from './local-judge.ts'

export type SandboxHere =
  | { available: true; program: string; hasRegistries: boolean; off: readonly string[] }
  | { available: false; reason: string; remedy: string }

/** Finds out at the first call, because that can take as long as all the rest, and remembers it. */
export function sandboxFinder(io: Io): () => Promise<SandboxHere> {
  let found: Promise<SandboxHere> | undefined
  return () => {
    found ??= sandboxHere(io)
    return found
  }
}

/** Whether commands can be contained here: the daemon knows; without one, Baton tries it. */
export async function sandboxHere(io: Io): Promise<SandboxHere> {
  const daemon = await findDaemon(folderOf(io)).catch(() => undefined)
  const known = typeof daemon === 'object' ? daemon.sandbox : undefined
  // The agent has the same proxy settings as this terminal, as far as this command can know.
  const hasRegistries = !hasOwnProxy(io.env)
  if (known?.program) return { available: true, program: known.program, hasRegistries, off: known.off ?? [] }
  if (known?.problem) return { available: false, reason: known.problem, remedy: known.remedy ?? '' }
  const found = await probeHere(io)
  return found.available
    ? { ...found, hasRegistries: hasRegistries && found.capabilities.sharedLoopback, off: [] }
    : found
}

async function probeHere(io: Io): Promise<SandboxStatus> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-sandbox-'))
  try {
    const sandbox = bubblewrapSandbox({
      folder,
      findProgram: name => onPath(name, io.env),
      ids: systemIds,
      hidden: HIDDEN_VARIABLES,
      host: viewHost(io.env),
    })
    return await sandbox.probe()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface SandboxOutlook extends Outlook {
  /** The command would run in the sandbox. */
  sandbox?: true
  /** Why it would not, although there is one. */
  outside?: string
}

export const decisionWords = ({ decision, sandbox }: SandboxOutlook): string =>
  sandbox ? `${decision} (in the sandbox)` : decision

/** What a recorded call comes to: in the sandbox, if its agent can run it there. */
export async function callOutlook(
  event: ToolEvent,
  judgement: PermissionJudgement,
  { worktree, home }: { worktree: string; home: string },
  config: Config,
  findSandbox: () => Promise<SandboxHere>,
): Promise<SandboxOutlook> {
  const byText = outlook(judgement, config, event)
  const sandboxing = agents.find(({ adapter }) => adapter.name === event.agent)?.sandboxing
  if (!canRunInside(event, sandboxing, event.mode ?? 'default', worktree, config)) return byText
  const place = { worktree, cwd: event.cwd ?? worktree, home }
  return await sandboxOutlook(judgement, byText, place, config, findSandbox)
}

/** What a judgement of a command comes to where there is a sandbox; decided as the daemon decides it. */
export async function sandboxOutlook(
  judgement: PermissionJudgement,
  byText: Outlook,
  place: { worktree: string; cwd: string; home: string },
  config: Config,
  findSandbox: () => Promise<SandboxHere>,
): Promise<SandboxOutlook> {
  if (judgement.decision === 'deny') return byText
  const here = await findSandbox()
  const refuse = (reason: string, otherwise: SandboxOutlook): SandboxOutlook =>
    config.sandbox.mode === 'strict'
      ? { decision: 'deny', reason: `${reason} With sandbox.mode: strict no command runs without it.` }
      : otherwise
  if (!here.available) return refuse(here.reason, byText)
  const hasRegistries = here.hasRegistries
  const sandbox = sessionSettings({ config, project: place.worktree }, { home: place.home, realpath })
  const found = containmentPlace(
    { ...place, broker: 'dialog', hasRegistries },
    { ...config, sandbox },
    realpath,
  )
  const outside = await whyOutside(judgement, found, { ...gitUnnamedWrites, exists: existsSync })
  if (outside !== undefined) {
    const mustAsk = byText.decision === 'defer' && !mayLeaveByMode(judgement, config)
    return { ...byText, ...(mustAsk ? { decision: 'ask' } : {}), outside }
  }
  const unbounded = whyNoBoundary(found.worktree, realpath(place.home))
  if (unbounded !== undefined) return refuse(unbounded, { ...byText, outside: unbounded })
  // It runs inside as a whole, and a yes is needed for this part of it alone.
  const [asked] = byText.decision === 'ask' ? openSteps(judgement) : []
  if (asked) return { decision: 'ask', reason: asked.reason, sandbox: true }
  return { decision: 'allow', reason: judgement.reason, sandbox: true }
}
