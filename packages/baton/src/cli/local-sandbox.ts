import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { containmentPlace, whyOutside } from '../permission/containment.ts'
import type { SandboxStatus } from '../ports/sandbox.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { findDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'
import type { Outlook } from './local-judge.ts'

export type SandboxHere =
  | { available: true; program: string }
  | { available: false; reason: string; remedy: string }

/** Whether commands can be contained here: the daemon knows; without one, Baton tries it. */
export async function sandboxHere(io: Io): Promise<SandboxHere> {
  const daemon = await findDaemon(folderOf(io)).catch(() => undefined)
  const known = typeof daemon === 'object' ? daemon.sandbox : undefined
  if (known?.program) return { available: true, program: known.program }
  if (known?.problem) return { available: false, reason: known.problem, remedy: known.remedy ?? '' }
  return await probeHere(io)
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

/** What a judgement of a command comes to where there is a sandbox; decided as the daemon decides it. */
export async function sandboxOutlook(
  judgement: PermissionJudgement,
  byText: Outlook,
  place: { worktree: string; cwd: string; home: string },
  config: Config,
  here: SandboxHere,
): Promise<SandboxOutlook> {
  if (judgement.decision === 'deny') return byText
  if (!here.available)
    return config.sandbox.mode === 'strict'
      ? { decision: 'deny', reason: `${here.reason} With sandbox.mode: strict no command runs without it.` }
      : byText
  const outside = await whyOutside(judgement, containmentPlace(place, config, realpath), {
    ...gitUnnamedWrites,
    exists: existsSync,
  })
  if (outside !== undefined) return { ...byText, outside }
  return { decision: 'allow', reason: judgement.reason, sandbox: true }
}
