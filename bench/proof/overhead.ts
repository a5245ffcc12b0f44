import { execFile } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Proof } from '@batonpass/contract/proof'
import type { BatonHere } from '../../packages/baton/test/world/baton.ts'
import { npmRegistry } from '../../packages/baton/test/world/registry.ts'
import { gitRepo } from '../../packages/baton/test/world/scratch.ts'

const runProgram = promisify(execFile)

/** How much longer a proof takes than the same commands on a clean checkout, install included, in percent. */
export async function measureOverhead({ run, home }: BatonHere, rounds: number): Promise<number> {
  const cwd = join(home, 'overhead')
  await using project = await gitRepo(cwd)
  await using registry = await npmRegistry(home, 'adder', {
    'package.json': JSON.stringify({ name: 'adder', version: '1.0.0', main: 'sum.js' }),
    'sum.js': 'module.exports = (a, b) => a + b\n',
  })
  appendFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`)
  const dependencies = { adder: '1.0.0' }
  const lock = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies },
      'node_modules/adder': { version: '1.0.0' },
    },
  }
  const manifest = { name: 'app', version: '1.0.0', scripts: { test: 'node --test' }, dependencies }
  await project.commit({
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(lock),
    // Ten seconds of work: what a small suite takes.
    'slow.test.js':
      "require('node:test')('waits', () => new Promise(done => setTimeout(done, require('adder')(4_000, 6_000))))\n",
  })
  await project.git('checkout', '-q', '-b', 'issue-1')
  await project.commit({ 'a.txt': '1' })
  const env = { PATH: process.env.PATH, HOME: home, CI: '1' }
  const [own, proofs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'baton-clean-'))
    const from = performance.now()
    // Not synchronously: the registry is in this process.
    await runProgram('git', ['clone', '-q', cwd, folder])
    await runProgram('npm', ['ci', '--silent'], { cwd: folder, env })
    await runProgram('npm', ['test', '--silent'], { cwd: folder, env })
    own.push(performance.now() - from)
    rmSync(folder, { recursive: true, force: true })
    const proof = Proof.parse(JSON.parse((await run(['proof', 'run', '--again', '--json'], { cwd })).stdout))
    if (proof.verdict !== 'proven') throw new Error(`the proof is ${proof.verdict}: ${proof.why}`)
    proofs.push(Date.parse(proof.endedAt ?? '') - Date.parse(proof.startedAt))
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0
  const more = (median(proofs) / median(own) - 1) * 100
  console.log(
    `the same commands ${(median(own) / 1000).toFixed(1)} s, a proof ${(median(proofs) / 1000).toFixed(1)} s: ${more.toFixed(1)} % more (median of ${rounds})`,
  )
  return more
}
