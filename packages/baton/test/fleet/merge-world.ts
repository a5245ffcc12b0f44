import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import { Proof } from '@batonpass/contract/proof'
import { folderForge } from '../../src/adapters/folder-forge/forge.ts'
import { gitMerges } from '../../src/adapters/git/merges.ts'
import { gitPush } from '../../src/adapters/git/push.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import type { YesNo } from '../../src/ask/yes-no-questions.ts'
import { FencedActions } from '../../src/claim/fenced-actions.ts'
import { claimMerges } from '../../src/claim/merge-steps.ts'
import type { ClaimPorts } from '../../src/claim/ports.ts'
import { ClaimRecord, ClaimRecords } from '../../src/claim/record.ts'
import { JobRecord, JobRecords, MergeAnswers, MergeRecords } from '../../src/fleet/job-record.ts'
import { MachineLeases } from '../../src/fleet/machine-leases.ts'
import type { MergePorts } from '../../src/fleet/merge-ports.ts'
import { MergeQueue } from '../../src/fleet/merge-queue.ts'
import type { PullRequestStatus } from '../../src/ports/forge.ts'
import type { Leases } from '../../src/ports/lease.ts'
import type { WritableForge } from '../../src/ports/writable-forge.ts'
import type { ProofOrder } from '../../src/proof/choose-checks.ts'
import { plainGit, scratch } from '../world/scratch.ts'

export const REPOSITORY = 'folder/you/project'

/**
 * The merge queue with real git and a real folder forge. The daemon can be killed at each of its steps; files, remote and
 * forge stay. A commit is proven unless its file `sum` says `broken`, or two of its files say that they cannot be together.
 */
export function mergeWorld(options: { settings?: object; mergiraf?: string; native?: boolean } = {}) {
  const folder = scratch('bm-')
  const project = join(folder.path, 'project')
  const env = { ...process.env, ...plainGit }
  const run = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
  const origin = join(folder.path, 'origin.git')
  run(folder.path, 'init', '-q', '--bare', '-b', 'main', origin)
  run(folder.path, 'clone', '-q', origin, project)
  for (const [key, value] of Object.entries({ 'user.name': 'Dev', 'user.email': 'dev@example.com' }))
    run(project, 'config', key, value)
  writeFileSync(join(folder.path, 'forge.json'), JSON.stringify({ issues: [] }))
  const commit = (cwd: string, files: Record<string, string>, words = 'Change') => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), text)
    }
    run(cwd, 'add', '-A')
    run(cwd, 'commit', '-q', '-m', words)
    return run(cwd, 'rev-parse', 'HEAD')
  }
  commit(project, { sum: 'fine\n' }, 'Begin')
  run(project, 'push', '-q', 'origin', 'HEAD:main')
  run(project, 'fetch', '-q')

  const state = {
    now: 1_800_000_000_000,
    entries: [] as string[],
    announced: [] as string[],
    faults: [] as unknown[],
    asked: [] as { title: string; answer(yesNo: YesNo): void; isOpen: boolean }[],
    closed: [] as number[],
    isLost: false,
    isPaused: false,
    /** Right before an action on the forge, whose leases were not checked yet. */
    beforeForge: undefined as (() => Promise<void>) | undefined,
    beforePush: undefined as (() => void) | undefined,
    proofs: [] as ProofOrder[],
    /** Before which of its operations a daemon is killed. */
    killAt: undefined as number | undefined,
    operations: [] as string[],
    /** GitHub's own merge queue. */
    queued: new Set<number>(),
    checks: {} as Record<number, { name: string; state: string }[]>,
    approved: {} as Record<number, string[]>,
  }
  const config = Config.parse(options.settings ?? {})
  const people = () =>
    writeFileSync(
      join(folder.path, 'people.json'),
      JSON.stringify({ checks: state.checks, approved: state.approved }),
    )
  const plain = folderForge(folder.path, systemSmallFiles)
  const forge: WritableForge = options.native
    ? {
        ...plain,
        mergeQueue: async number => (state.queued.has(number) ? 'queued' : 'not-queued'),
        enqueuePullRequest: async number => void state.queued.add(number),
      }
    : plain
  const jobs = new JobRecords(systemSmallFiles, join(folder.path, 'state'))
  const claims = new ClaimRecords(systemSmallFiles, undefined)
  const proofs = new Map<string, Proof>()

  function prove({ project: where, commit: id = '', base = '' }: ProofOrder): Proof {
    const names = run(where, 'ls-tree', '-r', '--name-only', id).split('\n')
    const isFine =
      run(where, 'show', `${id}:sum`) !== 'broken' && !(names.includes('left') && names.includes('right'))
    const at = new Date(state.now).toISOString()
    const check = { kind: 'run', name: 'npm test', source: 'derived', where: 'package.json' }
    return Proof.parse({
      version: 1,
      id: `prf_${String(proofs.size).padStart(20, '0')}`,
      project: where,
      commit: id,
      base,
      checks: [{ ...check, command: 'npm test', exit: 0, minutes: 15 }],
      startedAt: at,
      endedAt: at,
      verdict: isFine ? 'proven' : 'unproven',
      results: [
        isFine
          ? { name: 'npm test', status: 'passed', seconds: 1 }
          : { name: 'npm test', status: 'failed', why: 'failed with exit code 1', seconds: 1 },
      ],
    })
  }

  /** One life of the daemon: an operation that it does not survive leaves nothing but what it did. */
  function life(machine?: { id: string; issues: readonly number[]; leases: Leases }) {
    const own = join(folder.path, `state${machine ? `-${machine.id}` : ''}`)
    let isDead = false
    let count = 0
    const watched = <T extends object>(name: string, target: T, methods: readonly (keyof T)[]): T =>
      new Proxy(target, {
        get(_, key) {
          const method = Reflect.get(target, key) as unknown
          if (typeof method !== 'function') return method
          if (!methods.includes(key as keyof T)) return method.bind(target)
          return async (...args: unknown[]) => {
            if (++count === state.killAt) isDead = true
            if (isDead) throw new Error('killed')
            state.operations.push(`${name}.${String(key)}`)
            return method.apply(target, args)
          }
        },
      })
    const claimPorts = {
      records: claims,
      outside: new FencedActions({
        async checkLease() {
          if (state.isLost) throw new BatonError('claim_lost', 'Another session has it')
        },
        claimAt: where => claims.at(where),
        forgeFor: async () => {
          await state.beforeForge?.()
          return watched('forge', forge, ['mergePullRequest', 'enqueuePullRequest'])
        },
        push: watched(
          'git',
          {
            push: async (...args: Parameters<typeof gitPush>) => {
              state.beforePush?.()
              await gitPush(...args)
            },
          },
          ['push'],
        ).push,
      }),
      proofs: {
        start: async (order: ProofOrder) => {
          state.proofs.push(order)
          const proof = prove(order)
          proofs.set(proof.id, proof)
          return proof
        },
        get: async (id: string) => proofs.get(id) as Proof,
      },
      loginFor: async () => undefined,
      redact: (text: string) => text,
    } as unknown as ClaimPorts
    const ports: MergePorts = {
      jobs: machine
        ? { all: async () => (await jobs.all()).filter(({ data }) => machine.issues.includes(data.issue)) }
        : jobs,
      bases:
        machine &&
        new MachineLeases({
          leases: machine.leases,
          machine: async () => ({ id: machine.id, name: machine.id }),
          ttlMs: () => 600_000,
          clock: { elapsed: () => state.now },
        }),
      records: watched('records', new MergeRecords(systemSmallFiles, own), ['put', 'remove']),
      answers: new MergeAnswers(systemSmallFiles, own),
      git: watched('merges', gitMerges({ mergiraf: () => options.mergiraf }), ['attempt', 'remove']),
      claimAt: clone => claims.at(clone),
      actions: watched('actions', claimMerges(claimPorts), ['startProof', 'sendBack']),
      isPaused: () => state.isPaused,
      look: async claim => void (await look(claim)),
      async agreeToClose(claim) {
        if (isDead) throw new Error('killed')
        state.closed.push(claim.issue)
        await look(claim)
      },
      forgeOf: async () => forge,
      loginFor: async () => undefined,
      configOf: async () => config.merge,
      askPerson: (record, _, signal) =>
        new Promise(resolve => {
          const ask = { title: `${record.pull}`, answer: resolve, isOpen: true }
          signal.addEventListener('abort', () => {
            ask.isOpen = false
            resolve('none')
          })
          state.asked.push(ask)
        }),
      journal: async ({ what, issue, reason }) =>
        void state.entries.push(`#${issue} ${what}${reason ? `: ${reason}` : ''}`),
      announce: async (_, text) => void state.announced.push(text),
      redact: text => text,
      fault: (_, cause) => void state.faults.push(cause),
      clock: { now: () => state.now, elapsed: () => state.now },
    }
    return { queue: new MergeQueue(ports), isDead: () => isDead }
  }

  const seenOf = (pull: PullRequestStatus) => ({
    head: pull.headSha,
    base: pull.base,
    isDraft: pull.draft,
    verdict: pull.checks.verdict,
    approvedCommits: pull.approvedCommits,
  })
  /** What the claim's poll writes down. */
  async function look({
    project: clone,
    id,
  }: Pick<ClaimRecord, 'project' | 'id'>): Promise<PullRequestStatus> {
    const record = await claims.at(clone)
    const pull = await forge.pullRequest(record?.pr?.number ?? 0)
    await claims.change({ project: clone, id }, known => ({
      ...known,
      pr: {
        number: pull.number,
        url: pull.url,
        state: pull.state,
        checks: '',
        review: pull.review,
        conflict: conflicts(pull),
        seen: seenOf(pull),
      },
    }))
    return pull
  }
  const conflicts = (pull: PullRequestStatus): boolean => {
    try {
      run(origin, 'merge-tree', '--write-tree', pull.base, pull.headSha)
      return false
    } catch {
      return pull.state === 'open'
    }
  }

  return {
    folder: folder.path,
    project,
    origin,
    state,
    forge,
    jobs,
    claims,
    life,
    run,
    commit,
    people,
    [Symbol.dispose]: () => folder.remove(),
    /** An agent's branch with an open pull request, in a clone of its own. */
    async pull(issue: number, files: Record<string, string>, from = 'origin/main') {
      const clone = join(folder.path, `agent-${issue}`)
      run(folder.path, 'clone', '-q', origin, clone)
      run(clone, 'config', 'user.name', 'Agent')
      run(clone, 'config', 'user.email', 'agent@example.com')
      run(clone, 'switch', '-q', '-c', `issue-${issue}`, from)
      const head = commit(clone, files, `Work on ${issue}`)
      run(clone, 'push', '-q', '-u', 'origin', `issue-${issue}`)
      const made = await forge.createPullRequest({
        branch: `issue-${issue}`,
        title: `Issue ${issue}`,
        body: '',
      })
      const data = { repository: REPOSITORY, project, issue, priority: 0 }
      await jobs.put(
        JobRecord.parse({
          version: 1,
          job: `job-${issue}`,
          data,
          agent: 'claude-code',
          clone,
          objects: '/objects',
          stage: 'review',
          takenAt: state.now,
        }),
      )
      const record = ClaimRecord.parse({
        version: 1,
        id: `clm_${systemIds.id(20)}`,
        issue,
        project: clone,
        home: clone,
        repository: REPOSITORY,
        branch: `issue-${issue}`,
        agentId: 'a',
        claimedAt: state.now,
        stage: 'held',
        lease: { kind: 'git', token: 1, renewedAt: state.now },
        pr: { number: made.number, url: made.url, state: 'open' },
      })
      await claims.put(record)
      await look(record)
      return { number: made.number, clone, head, look: () => look(record) }
    },
    /** Lets the daemon work, looking at the forge as claims do, for some rounds or until everything is closed. */
    async settle(queue: MergeQueue, rounds = 12) {
      for (let round = 0; round < rounds; round++) {
        state.now += 125_000
        const open = (await claims.all()).filter(({ issue }) => !state.closed.includes(issue))
        if (open.length === 0) return
        for (const record of open) await look(record)
        await queue.tick()
      }
    },
    main: () => run(origin, 'log', '--first-parent', '--format=%s', 'main').split('\n'),
    fileOnMain: (name: string) => run(origin, 'show', `main:${name}`),
  }
}
