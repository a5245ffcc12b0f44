import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckList, Proof } from '@batonpass/contract/proof'
import { describe, expect, test } from 'vitest'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { npmRegistry } from '../world/registry.ts'
import { gitRepo, type Repository, type Scratch, scratch } from '../world/scratch.ts'

const TEST =
  "const t = require('node:test'), a = require('node:assert')\nt('adds', () => a.equal(require('./sum.js')(1, 2), 3))\n"
const APP = {
  'package.json': JSON.stringify({ name: 'app', scripts: { test: 'node --test' } }),
  'sum.js': 'module.exports = (a, b) => a + b\n',
  'sum.test.js': TEST,
}

interface World extends AsyncDisposable {
  baton: BatonHere
  project: Repository
  folder: Scratch
  prove(...args: string[]): Promise<Proof>
}

/** A repository with one test on main, and a branch on which work begins. */
async function world(files: Record<string, string> = APP): Promise<World> {
  const folder = scratch()
  const home = join(folder.path, 'home')
  const project = await gitRepo(join(home, 'app'))
  await project.commit(files)
  await project.git('checkout', '-q', '-b', 'issue-1')
  const baton = batonIn(home, project.path)
  return {
    baton,
    project,
    folder,
    prove: async (...args) =>
      Proof.parse(JSON.parse((await baton.run(['proof', 'run', '--json', ...args])).stdout)),
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const said = ({ verdict, why }: Proof) => (verdict === 'proven' ? 'proven' : `unproven (${why})`)

describe('baton proof', () => {
  test('installs packages once from the registry that the user named, and starts what the checks need', async () => {
    await using here = await world({
      'package.json': JSON.stringify({
        name: 'app',
        scripts: { test: 'node --test' },
        dependencies: { adder: '1.0.0' },
      }),
      'package-lock.json': JSON.stringify({
        name: 'app',
        lockfileVersion: 3,
        packages: {
          '': { name: 'app', dependencies: { adder: '1.0.0' } },
          'node_modules/adder': { version: '1.0.0' },
        },
      }),
      'sum.test.js': TEST.replace('./sum.js', 'adder'),
    })
    const { folder, prove } = here
    await using registry = await npmRegistry(folder.path, 'adder', {
      'package.json': JSON.stringify({ name: 'adder', version: '1.0.0', main: 'sum.js' }),
      'sum.js': APP['sum.js'],
    })
    writeFileSync(join(here.baton.home, '.npmrc'), `registry=${registry.url}\n`)
    expect(said(await prove())).toBe('proven')
    const archive = 'GET /adder/-/adder-1.0.0.tgz'
    expect(registry.requests.map(({ line }) => line)).toContain(archive)

    // The next clean checkout installs it again, with a service for the tests, and downloads nothing.
    registry.requests.length = 0
    here.baton.configure('proof:\n  setup: npm ci && { node service.js & }\n')
    const test = TEST.replace('./sum.js', 'adder')
    await here.project.commit({
      'service.js': "require('node:http').createServer((_, answer) => answer.end('up')).listen(8123)\n",
      'sum.test.js': `${test}t('asks the service', async () => a.equal(await (await fetch('http://127.0.0.1:8123')).text(), 'up'))\n`,
    })
    expect(said(await prove())).toBe('proven')
    expect(registry.requests.map(({ line }) => line)).not.toContain(archive)
  })

  test('derives the checks from before the work, runs them once for each commit, and shows what failed', async () => {
    await using here = await world()
    const { baton, project, prove } = here
    const { checks } = JSON.parse(await baton.must('proof', 'checks', '--json')) as CheckList
    expect(checks.map(({ name, source }) => [name, source])).toEqual([['npm test', 'derived']])

    // Uncommitted work does not count.
    project.write('sum.js', 'module.exports = () => 0\n')
    const first = await prove()
    expect(said(first)).toBe('proven')
    expect((await prove()).results[0]).toMatchObject({ status: 'passed', cached: true })
    expect((await prove('--again')).results[0]?.cached).toBeUndefined()

    await project.commit({})
    const failed = await baton.run(['proof', 'run'])
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain('unproven (npm test failed with exit code 1)')
    // The place, as a path of the repository.
    expect(failed.stdout).toMatch(/[^/]\bsum\.test\.js:2/)
    expect(await baton.must('proof')).toContain('unproven (npm test failed with exit code 1)')
    expect(await baton.must('proof', first.id.slice(0, 12))).toContain('proven')

    const bodies = (await baton.entries({ kind: 'proof' })).map(({ body }) => body)
    expect(bodies).toContainEqual(
      expect.objectContaining({ what: 'ended', proof: first.id, verdict: 'proven' }),
    )
    // Nothing is left behind.
    expect(readdirSync(join(baton.home, '.cache/baton/proof'))).toEqual([])
    expect(readdirSync(join(baton.stateDir, 'sandbox/sessions'))).toEqual([])

    // Pinned, they count at once; the script behind them still may not change.
    await baton.must('checks', 'pin')
    await baton.must('checks', 'add', '{files: {exist: [sum.js]}}', '--name', 'sums')
    here.folder.write('edit.sh', 'sed -i "s/sums/the sum/" "$1"\n')
    const edited = await baton.run(['checks', 'edit'], {
      env: { EDITOR: `sh ${join(here.folder.path, 'edit.sh')}` },
    })
    expect(edited.stdout).toMatch(/^Wrote .*\.baton\.yaml\.$/m)
    const pinned = JSON.parse(await baton.must('checks', '--json')) as CheckList
    expect(pinned.checks.map(({ name, source }) => [name, source])).toEqual([
      ['npm test', 'settings'],
      ['the sum', 'settings'],
      ['no test weakened', 'derived'],
    ])
    await project.commit({ 'package.json': JSON.stringify({ name: 'app', scripts: { test: 'true' } }) })
    expect(said(await prove())).toBe(
      'unproven (npm test passed, but the run changed what it does (package.json))',
    )

    here.folder.write('break.sh', 'echo "proof: [" >> "$1"\n')
    const broken = await baton.run(['checks', 'edit'], {
      env: { EDITOR: `sh ${join(here.folder.path, 'break.sh')}` },
    })
    expect(broken.code).not.toBe(0)
    expect((await baton.run(['checks'])).stderr).toContain('.baton.yaml')
  })

  test.each<[string, Record<string, string>, string]>([
    [
      'a test script that does nothing',
      { 'package.json': JSON.stringify({ scripts: { test: 'true' } }), 'sum.js': '' },
      'unproven (npm test passed, but the run changed what it does (package.json))',
    ],
    [
      'a test script that is gone',
      { 'package.json': JSON.stringify({ scripts: {} }) },
      'unproven (npm test failed with exit code 1)',
    ],
    [
      'a test that was deleted',
      { 'sum.test.js': '', 'sum.js': 'module.exports = () => 0\n' },
      'unproven (no test weakened failed: 1 test fewer (sum.test.js); 1 strict assertion fewer)',
    ],
    [
      'a test that was skipped',
      { 'sum.test.js': TEST.replace("t('adds'", "t.skip('adds'"), 'sum.js': 'module.exports = () => 0\n' },
      'unproven (no test weakened and 1 more failed: skipped tests in sum.test.js)',
    ],
    [
      'one more test',
      { 'sum.test.js': `${TEST}t('adds zero', () => a.equal(require('./sum.js')(1, 0), 1))\n` },
      'proven',
    ],
    [
      'a flaky test',
      {
        'sum.test.js':
          "const fs = require('node:fs'); if (!fs.existsSync('mark')) { fs.writeFileSync('mark', ''); throw new Error('once') }\n" +
          TEST,
      },
      'unproven (npm test failed once and then passed)',
    ],
  ])('judges work with %s', async (_, files, verdict) => {
    await using here = await world()
    await here.project.commit(files)
    expect(said(await here.prove())).toBe(verdict)
  })

  test('says so if there is nothing to check', async () => {
    await using here = await world({ 'a.txt': '' })
    expect(said(await here.prove())).toBe('unproven (no checks)')

    here.baton.configure('proof:\n  done_when:\n    - review: Is it right?\n      agent: cursor\n')
    expect(await here.baton.must('checks')).toContain(
      '! review: Is it right?: cannot run: cursor cannot review: its tools cannot be turned off',
    )
  })

  test('runs no command without a sandbox (sandbox.mode off)', async () => {
    await using here = await world()
    here.baton.configure('sandbox:\n  mode: off\n')
    const proof = await here.prove()
    expect(said(proof)).toBe('unproven (no sandbox)')
    expect(proof.results).toMatchObject([{ status: 'not-run' }])
  })

  test('runs the checks of the settings after their setup: contained, without secrets, and limited in time', async () => {
    await using here = await world()
    const { baton, project, prove, folder } = here
    folder.write('home/secret.txt', 'the-secret')
    const outside = join(baton.home, 'outside.txt')
    baton.configure(`proof:
  setup: echo ready > prepared
  done_when:
    - cat prepared
    - run: cat ${join(baton.home, 'secret.txt')}; echo "token=$GITHUB_TOKEN"; touch ${outside}; echo done
      output: ^token=$|\\ntoken=\\n
    - run: sleep 600
      minutes: 0.05
    - files: { exist: [sum.js], unchanged: ['*.test.js'] }
    - diff: { max_lines: 5 }
`)
    await project.commit({ 'b.txt': '1\n2\n3\n4\n5\n6\n' })
    const proof = await prove()
    expect(proof.setupResult?.status).toBe('passed')
    expect(proof.results.map(({ name, status }) => [name.slice(0, 12), status])).toEqual([
      ['sum.js exist', 'passed'],
      ['at most 5 ch', 'failed'],
      ['no test weak', 'passed'],
      ['cat prepared', 'passed'],
      [`cat ${baton.home}`.slice(0, 12), 'passed'],
      ['sleep 600', 'timed-out'],
    ])
    expect(JSON.stringify(proof)).not.toContain('the-secret')
    expect(existsSync(outside)).toBe(false)
  })

  test('continues after the daemon was killed, and can be cancelled', async () => {
    await using here = await world()
    const { baton } = here
    baton.configure('proof:\n  done_when:\n    - "true"\n    - sleep 600\n')
    const running = baton.run(['proof', 'run', '--json'])
    const current = async () =>
      (JSON.parse(await baton.must('proof', '--json')) as { proofs: Proof[] }).proofs[0]
    await expect.poll(async () => (await current())?.results.length, { timeout: 120_000 }).toBe(1)
    const pid = (JSON.parse(await baton.must('status', '--json')) as { daemon: { pid: number } }).daemon.pid
    process.kill(pid, 'SIGKILL')
    // The waiting command starts the next daemon. The same proof; what was finished is not run again.
    const restarted = await baton.waitFor('proof', ({ what }) => what === 'restarted')
    await expect
      .poll(async () => (await current())?.results[0], { timeout: 120_000 })
      .toMatchObject({ name: 'true', status: 'passed', cached: true })
    await baton.must('proof', 'cancel', restarted.proof)
    expect((await running).code).toBe(1)
    expect(said(Proof.parse(await current()))).toBe('unproven (cancelled)')
    expect(readdirSync(join(baton.home, '.cache/baton/proof'))).toEqual([])
    expect(readdirSync(join(baton.stateDir, 'sandbox/sessions'))).toEqual([])
  })
})
