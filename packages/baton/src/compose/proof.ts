import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readerOf } from '../adapters/agents/readers.ts'
import { gitCheckouts } from '../adapters/git/checkouts.ts'
import { systemGit } from '../adapters/git/git.ts'
import { gitRemoteBase } from '../adapters/git/remote-base.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { systemPrograms } from '../adapters/system/programs.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { fingerprintOf } from '../ask/fingerprint.ts'
import { gatherEvidence } from '../handoff/evidence.ts'
import type { Forge } from '../ports/forge.ts'
import type { GitLogin } from '../ports/git-work.ts'
import { compareElsewhere } from '../proof/compare-elsewhere.ts'
import { Proofs } from '../proof/proofs.ts'
import type { CompareReport } from '../proof/report.ts'
import { filedResults } from '../proof/result-cache.ts'
import { sessionSettings } from '../sandbox/access/access.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import { readTest } from '../session/transcript/test-runs.ts'
import { compareReport } from '../work/workflows/compare-report.ts'
import type { Ground } from './ground.ts'
import { composeReviewers, type InsideCalls } from './model.ts'
import { newEntry } from './new-entry.ts'

/** Builds what runs the checks of finished work. `sandboxes` is undefined where commands cannot be contained. */
export function composeProof(
  ground: Ground,
  sandboxes: Sandboxes | undefined,
  {
    loginFor,
    forgeFor,
    asks,
    ownCalls,
    insideCalls,
  }: {
    loginFor: (project: string) => Promise<GitLogin | undefined>
    forgeFor: (project: string) => Promise<Forge | undefined>
    asks: Pick<Asks, 'ask'>
    ownCalls: OwnModelCalls
    insideCalls: InsideCalls | undefined
  },
): Proofs {
  const { env, home, stateDir, configFor, redactor, write, fault } = ground
  const cache = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : join(home, '.cache')
  return new Proofs({
    checkouts: gitCheckouts,
    compareTests: compareElsewhere(systemPrograms, { ...comparer(), fault }),
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
    outside: {
      async pullRequestOf(project, commit) {
        const [forge, position] = await Promise.all([forgeFor(project), systemGit.readPosition(project)])
        const pull = position?.branch && (await forge?.pullRequestFor(position.branch))
        if (!forge || !pull || pull.headSha !== commit) return undefined
        const now = await forge.pullRequest(pull.number)
        return now.headSha === commit ? now : undefined
      },
      async askPerson({ project, commit }, question, withinMs, signal) {
        const outcome = await asks.ask(
          {
            kind: 'confirm',
            title: question,
            detail: `${question}\n\nCommit ${commit.slice(0, 10)} of ${project}. The checks before this question passed.\nYes: the work counts as proven.`,
            key: `proof ${project} ${commit}`,
            fingerprint: fingerprintOf({
              session: `proof ${commit}`,
              tool: 'confirm-proof',
              input: { question },
              cwd: project,
            }),
            facts: { project },
          },
          { signal, withinMs, unreached: 'wait' },
        )
        if (outcome.result !== 'answered') return 'none'
        return outcome.option === 'yes' ? 'yes' : 'no'
      },
      wait: (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}),
    },
    reviewers: composeReviewers({ env, stateDir, ownCalls, inside: insideCalls, write, fault }),
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

/** The program that compares tests: in the package next to this file, otherwise from source. */
export function comparer(): { node: string; program: string } {
  const bundled = fileURLToPath(new URL('find-weakened.js', import.meta.url))
  const source = fileURLToPath(new URL('../daemon/find-weakened.ts', import.meta.url))
  return { node: process.execPath, program: existsSync(bundled) ? bundled : source }
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
