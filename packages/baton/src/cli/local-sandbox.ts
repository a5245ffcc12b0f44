import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { viewHost } from '../adapters/bubblewrap/probe.ts'
import { bubblewrapSandbox } from '../adapters/bubblewrap/sandbox.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import type { SandboxStatus } from '../ports/sandbox.ts'
import { HIDDEN_VARIABLES } from '../sandbox/environment.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import { findDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'

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
