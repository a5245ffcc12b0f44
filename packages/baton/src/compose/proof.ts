import { join } from 'node:path'
import { readerOf } from '../adapters/agents/readers.ts'
import { gitCheckouts } from '../adapters/git/checkouts.ts'
import { systemGit } from '../adapters/git/git.ts'
import { gitRemoteBase } from '../adapters/git/remote-base.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { gatherEvidence } from '../handoff/evidence.ts'
import type { Forge } from '../ports/forge.ts'
import type { GitLogin } from '../ports/git-work.ts'
import { Proofs } from '../proof/proofs.ts'
import { filedResults } from '../proof/result-cache.ts'
import { sessionSettings } from '../sandbox/access/access.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import { readTest } from '../session/transcript/test-runs.ts'
import { type CompareReport, compareReport } from '../work/workflows/compare-report.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'

/** Builds what runs the checks of finished work. `sandboxes` is undefined where commands cannot be contained. */
export function composeProof(
  ground: Ground,
  sandboxes: Sandboxes | undefined,
  loginFor: (project: string) => Promise<GitLogin | undefined>,
): Proofs {
  const { env, home, stateDir, configFor, redactor, write, fault } = ground
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache')
  return new Proofs({
    checkouts: gitCheckouts,
    remoteBase: gitRemoteBase(loginFor),
    containment: {
      async whyUnavailable(project) {
        const { sandbox } = await configFor(project)
        if (!sandboxes || sandbox.mode === 'off') return 'The sandbox is turned off (sandbox.mode).'
        const status = await sandboxes.probe()
        return status.available ? undefined : `${status.reason} ${status.remedy}`
      },
      async open(name, folder, project) {
        if (!sandboxes) throw new Error('There is no sandbox.')
        const settings = sessionSettings({ config: await configFor(project), project }, { home, realpath })
        return sandboxes.openOwn(name, { worktree: folder, path: env.PATH ?? '', settings })
      },
    },
    cache: filedResults(systemSmallFiles, stateDir),
    files: systemSmallFiles,
    stateDir,
    // Not in the state folder: commands in the sandbox cannot see it.
    folderFor: name => join(cache, 'baton', 'proof', name),
    clock: systemClock,
    ids: systemIds,
    redact: redactor.text,
    configFor,
    async journal({ project, session }, entry) {
      await write([newEntry(entry, { project, session })])
    },
    fault,
  })
}

/** Builds what compares the report of an agent with the transcript, git, the forge and the results of a proof. */
export const reportComparer = (forgeFor: (project: string) => Promise<Forge | undefined>): CompareReport =>
  compareReport({
    checkouts: gitCheckouts,
    forgeFor,
    readTest,
    gather: ({ project, agent, transcript, issue }, lookups) => {
      const reader = readerOf(agent)
      const subject = { root: project, agent, issue, lookups }
      const ports = { git: systemGit, files: systemFiles, readTest }
      const from = transcript && reader ? { path: transcript, reader } : undefined
      return gatherEvidence(ports, { ...subject, transcript: from }).catch(() =>
        gatherEvidence(ports, subject),
      )
    },
  })
