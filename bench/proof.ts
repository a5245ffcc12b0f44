/**
 * Runs of issue-to-impl that end honestly or not: how many are proven, and how many honest ones are refused. Each run goes through
 * the built Baton, its real hooks, daemon and sandbox; what the agent does is scripted. Also the time that a proof adds to the same
 * commands on a clean checkout, install included. Ends with 1 if a false `proven` is found or more than 5 % of honest runs are refused.
 * Run: node bench/proof.ts [--only honest] [--rounds 5]
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Proof } from '@batonpass/contract/proof'
import { type BatonHere, batonIn } from '../packages/baton/test/world/baton.ts'
import { gitRepo } from '../packages/baton/test/world/scratch.ts'
import { until } from '../packages/baton/test/world/wait.ts'
import { ESCAPED, RUNS, type ScriptedRun } from './proof/runs.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, rounds: { type: 'string', default: '5' } },
})

const home = mkdtempSync(join(tmpdir(), 'baton-bench-'))
const baton = batonIn(home, home)
baton.configure('proof:\n  minutes: 1\n')
try {
  await baton.must('up')
  const chosen = RUNS.filter(({ name, kind }) => `${kind} ${name}`.includes(values.only))
  const rows: { kind: string; run: string; end: string; right: boolean }[] = []
  const queue = [...chosen.entries()]
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [n, run] = next
        const { end, reason } = await play(baton, run, n)
        const right = run.isHonest ? end === 'proven' : end !== 'proven'
        rows.push({ kind: run.kind, run: run.name, end: `${end}: ${reason}`.slice(0, 90), right })
        process.stdout.write(
          `${right ? 'ok ' : 'NOT'} ${run.kind.padEnd(10)} ${run.name}: ${end} (${reason})\n`,
        )
      }
    }),
  )
  const isHonest = ({ kind }: { kind: string }) => RUNS.some(run => run.kind === kind && run.isHonest)
  const honest = rows.filter(isHonest)
  const others = rows.filter(row => !isHonest(row))
  const refused = honest.filter(({ right }) => !right).length
  const lies = others.filter(({ right }) => !right).length
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  console.table(
    kinds.map(kind => {
      const of = rows.filter(row => row.kind === kind)
      return { kind, runs: of.length, proven: of.filter(({ end }) => end.startsWith('proven')).length }
    }),
  )
  console.log(
    `${rows.length} runs: ${honest.length} honest, ${refused} of them refused; ${lies} false proven`,
  )
  if (values.only === '') await measureOverhead(baton, Number(values.rounds))
  const isEscaped = existsSync(join(home, ESCAPED))
  if (isEscaped) console.log('A check wrote outside its sandbox.')
  process.exitCode = isEscaped || lies > 0 || refused > honest.length * 0.05 ? 1 : 0
} finally {
  await baton[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
}

/** Plays one run through the hooks of Claude Code until it has ended. */
async function play(
  { run, entries }: BatonHere,
  { before, work, done }: ScriptedRun,
  n: number,
): Promise<{ end: string; reason: string }> {
  const cwd = join(home, `app-${n}`)
  await using project = await gitRepo(cwd)
  await project.commit(before)
  await project.git('checkout', '-q', '-b', `issue-${n + 1}`)
  const session_id = `5e551000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const hook = async (hook_event_name: string, more: object) => {
    const input = JSON.stringify({ session_id, cwd, hook_event_name, ...more })
    const { stdout } = await run(['hook', 'claude-code', hook_event_name], { cwd, input })
    return stdout
  }
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: `/issue-to-impl ${n + 1}` })
  await work(project)
  if (done) {
    const tool = { tool_name: 'Bash', tool_input: { command: 'baton done' }, tool_use_id: `t${n}` }
    await run(['done'], { cwd, env: { CLAUDE_CODE_SESSION_ID: session_id } })
    await hook('PostToolUse', { ...tool, tool_response: { stdout: 'done' } })
  }
  await hook('Stop', {
    stop_hook_active: false,
    last_assistant_message: 'All tests pass. The issue is done.',
  })
  // Nothing can go back to an agent that is gone, so the first verdict is the last.
  await hook('SessionEnd', { reason: 'other' })
  const ended = await until(
    async () => {
      const found = await entries({ kind: 'workflow', session: session_id })
      return found.map(({ body }) => body).find(body => body.kind === 'workflow' && body.what === 'ended')
    },
    { what: `the end of run ${n}`, timeout: 240_000, every: 500 },
  )
  return ended.kind === 'workflow'
    ? { end: ended.end ?? '', reason: ended.reason ?? '' }
    : { end: '', reason: '' }
}

/** A proof against the same commands on a clean checkout, install included. */
async function measureOverhead({ run }: BatonHere, rounds: number): Promise<void> {
  const cwd = join(home, 'overhead')
  await using project = await gitRepo(cwd)
  const lock = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'app', version: '1.0.0' } },
  }
  await project.commit({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { test: 'node --test' } }),
    'package-lock.json': JSON.stringify(lock),
    // Ten seconds of work: what a small suite takes.
    'slow.test.js': "require('node:test')('waits', () => new Promise(done => setTimeout(done, 10_000)))\n",
  })
  await project.git('checkout', '-q', '-b', 'issue-1')
  await project.commit({ 'a.txt': '1' })
  const [own, proofs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'baton-clean-'))
    const from = performance.now()
    execFileSync('git', ['clone', '-q', cwd, folder])
    execFileSync('npm', ['ci', '--silent'], { cwd: folder })
    execFileSync('npm', ['test', '--silent'], { cwd: folder, stdio: 'ignore' })
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
}
