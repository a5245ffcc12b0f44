import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { judge } from '../packages/baton/src/permission/judge.ts'
import type { PermissionRequest } from '../packages/baton/src/permission/judge-context.ts'
import { compileRules } from '../packages/baton/src/permission/rules/compile.ts'

interface Line {
  command: string
  safe: boolean
  group: string
}

const CORPUS = new URL('../packages/baton/test/fixtures/corpora/shell-commands.jsonl', import.meta.url)
const PLACE = { cwd: '/work/project', worktree: '/work/project', home: '/home/someone' }
const rules = compileRules([], PLACE)
const verbose = process.argv.includes('--list')

const request = (command: string): PermissionRequest => ({ tool: 'Bash', input: { command }, ...PLACE })

function corpus(): void {
  const lines = readFileSync(CORPUS, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line)
  const groups = new Map<string, { safe: number; asked: number; unsafe: number; allowed: number }>()
  const left: string[] = []
  for (const line of lines) {
    const group = groups.get(line.group) ?? { safe: 0, asked: 0, unsafe: 0, allowed: 0 }
    groups.set(line.group, group)
    const judgement = judge(request(line.command), rules)
    const allowed = judgement.decision === 'allow'
    if (line.safe) {
      group.safe++
      if (!allowed) group.asked++
    } else {
      group.unsafe++
      if (allowed) group.allowed++
    }
    if (allowed !== line.safe)
      left.push(
        `${line.safe ? 'safe, not allowed ' : 'UNSAFE, ALLOWED   '} ${line.group.padEnd(16)} ${JSON.stringify(line.command)}  ${judgement.decision}: ${judgement.reason}`,
      )
  }
  const sum = (pick: (group: { safe: number; asked: number; unsafe: number; allowed: number }) => number) =>
    [...groups.values()].reduce((total, group) => total + pick(group), 0)
  console.log(`${'group'.padEnd(18)} unsafe allowed    safe not allowed`)
  for (const [name, group] of groups) {
    if (verbose || group.asked > 0 || group.allowed > 0)
      console.log(
        `${name.padEnd(18)} ${share(group.allowed, group.unsafe)}   ${share(group.asked, group.safe)}`,
      )
  }
  console.log(
    `${'overall'.padEnd(18)} ${share(
      sum(g => g.allowed),
      sum(g => g.unsafe),
    )}   ${share(
      sum(g => g.asked),
      sum(g => g.safe),
    )}`,
  )
  if (verbose) console.log(left.sort().join('\n'))
  else console.log(`${left.length} disagreements; --list shows each with its reason`)
  speed(lines.map(line => line.command))
}

function share(part: number, whole: number): string {
  return `${String(part).padStart(4)} / ${String(whole).padEnd(4)} ${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2).padStart(6)} %`
}

function speed(commands: readonly string[]): void {
  const long = commands.filter(command => command.length <= 2048)
  let pack = ''
  const packed: string[] = []
  for (const command of long) {
    if (pack.length + command.length > 2000) {
      packed.push(pack)
      pack = ''
    }
    pack += `${command.replaceAll('\n', ' ')}\n`
  }
  for (let round = 0; round < 3; round++) for (const command of long) judge(request(command), rules)
  report('corpus commands', long.map(timed))
  report('2 KB texts of some 50 commands', packed.map(timed))
  const large = `echo ${'x'.repeat(1024 * 1024)}`
  const nested = `${'$('.repeat(2000)}ls${')'.repeat(2000)}`
  const wide = 'ls; '.repeat(15_000)
  console.log(
    `1 MB command ${timed(large).toFixed(2)} ms · 2000 nested substitutions ${timed(nested).toFixed(2)} ms · 15000 commands ${timed(wide).toFixed(2)} ms`,
  )
}

/** Median of five, so that other load on the machine does not count. */
function timed(command: string): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const start = performance.now()
    judge(request(command), rules)
    return performance.now() - start
  })
  return times.sort((left, right) => left - right)[2] ?? 0
}

function report(name: string, times: number[]): void {
  const sorted = [...times].sort((left, right) => left - right)
  const at = (share: number) =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 1000).toFixed(0)
  console.log(`${name}: p50 ${at(0.5)} µs · p99 ${at(0.99)} µs · max ${at(1)} µs (${times.length} decisions)`)
}

corpus()
