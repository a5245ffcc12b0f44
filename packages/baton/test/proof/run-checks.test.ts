import { type CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import type { ContainedRun } from '../../src/ports/sandbox.ts'
import { checksFrom } from '../../src/proof/declared-checks.ts'
import { judgeProof } from '../../src/proof/judge-proof.ts'
import { weakenedTests } from '../../src/proof/read-weakened.ts'
import { type CheckPorts, runChecks } from '../../src/proof/run-checks.ts'
import { compareHere } from './memory-tree.ts'

const passed: ContainedRun = { code: 0, stdout: 'ok\n', stderr: '' }
const failed: ContainedRun = { code: 1, stdout: 'expected 1\n', stderr: '' }
const silent: ContainedRun = { code: 1, stdout: '', stderr: '' }
const unstarted: ContainedRun = { code: 1, stdout: '', stderr: 'bwrap: Creating new namespace failed\n' }
const killed: ContainedRun = { code: undefined, stdout: '', stderr: '' }

/** Runs one check; each start of the sandbox gives the next outcome. */
async function outcome(...runs: ContainedRun[]) {
  const results: CheckResult[] = []
  const checks = checksFrom(['npm test'], 'settings', 'x', 15)
  const ports = {
    checkouts: { tree: () => ({}), make: async () => {}, remove: async () => {} },
    containment: {
      whyUnavailable: async () => undefined,
      open: async () => ({ run: async () => runs.shift() ?? passed, end: async () => {} }),
    },
    cache: { get: async () => undefined, put: async () => {} },
    clock: { now: () => 0 },
    folderFor: (name: string) => `/tmp/${name}`,
    redact: (text: string) => text,
  } as unknown as CheckPorts
  const about = { version: 1, id: `prf_${'0'.repeat(20)}`, project: '/app', commit: 'a', base: 'a' }
  const proof = Proof.parse({ ...about, checks, startedAt: '2026-11-15T12:00:00.000Z' })
  const progress = {
    running: async () => {},
    setup: async () => {},
    result: async (result: CheckResult) => void results.push(result),
  }
  await runChecks(ports, proof, progress, new AbortController().signal)
  const [result] = results
  return {
    status: result?.status,
    why: result?.why,
    output: result?.output,
    left: runs.length,
    verdict: judgeProof(checks, results, undefined),
  }
}

describe('a command as a check', () => {
  it.each<[string, ContainedRun[], CheckResult['status'], string | undefined]>([
    ['passes', [passed], 'passed', undefined],
    ['fails twice', [failed, failed], 'failed', 'failed with exit code 1'],
    ['fails twice without a word', [silent, silent], 'failed', 'failed with exit code 1'],
    ['fails once and then passes', [failed, passed], 'flaky', 'failed once and then passed'],
    ['is killed once', [killed, passed], 'flaky', 'failed once and then passed'],
    ['starts at the second try', [unstarted, passed], 'passed', undefined],
    [
      'fails after a start that went wrong',
      [unstarted, failed, unstarted, failed],
      'failed',
      'failed with exit code 1',
    ],
    ['never starts', [unstarted, unstarted, unstarted], 'not-run', 'npm test did not start in the sandbox'],
  ])('%s', async (_, runs, status, why) => {
    const ended = await outcome(...runs)
    expect(ended).toMatchObject({ status, left: 0 })
    expect(ended.why).toBe(why)
    expect(ended.verdict.verdict).toBe(status === 'passed' ? 'proven' : 'unproven')
  })

  it.each([
    [1, 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'],
    [
      1,
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    ],
    [1, 'failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is correct'],
    [2, 'make: docker: No such file or directory\nmake: *** [Makefile:2: test] Error 127'],
    [125, 'Cannot connect to Podman. Please verify your connection to the Linux system'],
    [1, 'Error: Could not find a working container runtime strategy'],
    [1, 'The connection to the server localhost:8080 was refused - did you specify the right host or port?'],
  ])('that needs containers is not run, once: %s %s', async (code, stdout) => {
    const ended = await outcome({ code, stdout, stderr: '' }, passed)
    expect(ended).toMatchObject({ status: 'not-run', left: 1, verdict: { verdict: 'unproven' } })
    expect(ended.why).toBe('npm test needs containers, which the sandbox does not have')
  })

  it('that never starts shows what the sandbox said', async () => {
    expect((await outcome(unstarted, unstarted, unstarted)).output).toContain('Creating new namespace failed')
  })
})

it.each([
  ['scripts/a%.sh', []],
  ['a%.test.ts', ['501 test files changed, more than Baton compares']],
])('of 501 changed files such as %s, those that are about tests are too many', async (path, found) => {
  const tree = () => ({ paths: async () => [], read: async () => '' })
  const changes = Array.from({ length: 501 }, (_, n) => ({
    path: path.replace('%', `${n}`),
    status: 'changed',
  }))
  const ports = { checkouts: { tree }, compareTests: compareHere }
  const { signal } = new AbortController()
  expect(await weakenedTests(ports, {} as Proof, changes as never, signal)).toEqual(found)
})
