/**
 * What starting things costs, in seconds of processor time: `baton init` in a new home, short commands, and a daemon from its
 * start to its first answer to a hook and five seconds later. Each run has a new home; the least of the runs counts.
 * Run: node bench/start.ts [--runs 5] [--cli packages/baton/dist/cli.js]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    cli: { type: 'string', default: join(import.meta.dirname, '../packages/baton/dist/cli.js') },
  },
})
const cli = resolve(values.cli)
const least = new Map<string, number>()
for (let i = 0; i < Number(values.runs); i++)
  for (const [what, seconds] of await measureStarts())
    least.set(what, Math.min(seconds, least.get(what) ?? Number.POSITIVE_INFINITY))
for (const [what, seconds] of least) console.log(`${what.padEnd(34)} ${seconds.toFixed(2)} s`)

async function measureStarts(): Promise<Map<string, number>> {
  const home = mkdtempSync(join(tmpdir(), 'baton-start-'))
  const project = join(home, 'project')
  mkdirSync(join(home, 'bin'))
  mkdirSync(project)
  writeFileSync(join(home, '.baton.yaml'), 'daemon:\n  port: 0\n', { mode: 0o600 })
  writeFileSync(join(home, 'bin/claude'), '#!/bin/sh\necho "2.1.0 (Claude Code)"\n', { mode: 0o755 })
  execFileSync('git', ['init', '-q', project])
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` }
  const seconds = new Map<string, number>()
  /** The command and the programs it starts and waits for; not a daemon it starts. */
  const command = (...args: string[]) => {
    const before = childSeconds()
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: project, env })
    if (status !== 0) throw new Error(`baton ${args.join(' ')}: ${stderr}`)
    seconds.set(`baton ${args.join(' ')}`, childSeconds() - before)
  }
  try {
    command('--version')
    command('up')
    const launch = { hook_event_name: 'PreToolUse', session_id: 'x', tool_name: 'Bash', cwd: project }
    const input = JSON.stringify({ ...launch, tool_input: { command: 'ls -la' } })
    const state = join(home, '.local/state/baton')
    const hook = ['hook', '--state-dir', state, '--source', 'user', '--', 'claude-code', 'PreToolUse']
    const answer = spawnSync(process.execPath, [cli, ...hook], { cwd: project, env, input, encoding: 'utf8' })
    if (!answer.stdout.includes('hookSpecificOutput')) throw new Error(`no answer: ${answer.stderr}`)
    const daemon = daemonOf(state)
    seconds.set('daemon to its first answer', processSeconds(daemon))
    await setTimeout(5000)
    seconds.set('daemon five seconds later', processSeconds(daemon))
    for (const words of [['status'], ['check', 'git push'], ['down'], ['init', '--yes', '--agent', 'claude']])
      command(...words)
  } finally {
    spawnSync(process.execPath, [cli, 'down', '--force'], { cwd: project, env })
    rmSync(home, { recursive: true, force: true })
  }
  return seconds
}

/** The process id of the daemon of a state folder. */
function daemonOf(state: string): string {
  const found = execFileSync('pgrep', ['-f', '--', `--state-dir=${state}`], { encoding: 'utf8' })
  return found.split('\n')[0] ?? ''
}

/** Processor time of a process and of the children it waited for: fields 14 to 17 of /proc/PID/stat, in hundredths. */
function processSeconds(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

/** Processor time of all children of this process that have ended. */
function childSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}
