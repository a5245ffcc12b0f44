import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { batonIn } from '../../world/baton.ts'
import { endOf, type SandboxWorld, sandboxWorld } from '../../world/sandbox.ts'
import { gitRepo, plainGit } from '../../world/scratch.ts'
import { layProject, layToolchains, PACKAGES } from './fixtures.ts'

const LINES = readFileSync(join(import.meta.dirname, 'commands.jsonl'), 'utf8')
  .trim()
  .split('\n')
const COMMANDS = LINES.map(line =>
  z.object({ group: z.string(), command: z.string() }).parse(JSON.parse(line)),
)
const GROUPS = [...new Set(COMMANDS.map(({ group }) => group))]
const MOST = 0.05
const isLong = process.env['BATON_LONG'] === '1'
/** Without BATON_LONG one command in twenty runs. */
const isRun = (at: number) => isLong || at % 20 === 0

interface Outcome {
  group: string
  command: string
  /** `missing`: this machine does not have the tool, so only the decision counts. */
  end: 'asks' | 'same' | 'differs' | 'missing' | 'not run'
  why?: string
}

describe('everyday commands', () => {
  test('there are at least 400, in ten ecosystems', () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(400)
    expect(GROUPS.length).toBeGreaterThanOrEqual(10)
  })

  const outcomes: Outcome[] = []
  const words = (of: readonly Outcome[]) =>
    of.map(({ group, command, end, why }) => `${group}: ${command}: ${end}: ${why}`).join('\n')
  const isBad = ({ end }: Outcome) => end === 'asks' || end === 'differs'

  test.each(GROUPS)(
    'of %s are decided, and run inside and outside',
    {
      timeout: isLong ? 3_600_000 : 600_000,
    },
    async group => {
      const own = await outcomesOf(group)
      outcomes.push(...own)
      if (isLong) process.stdout.write(`${group}: ${summary(own)}\n${words(own.filter(isBad))}\n`)
      expect(own).toHaveLength(COMMANDS.filter(line => line.group === group).length)
    },
  )

  test('ask, or end otherwise in the sandbox than outside, in at most one case in twenty', () => {
    process.stdout.write(`everyday commands: ${summary(outcomes)}\n`)
    expect(outcomes).toHaveLength(COMMANDS.length)
    expect(
      outcomes.filter(isBad).length / COMMANDS.length,
      words(outcomes.filter(isBad)),
    ).toBeLessThanOrEqual(MOST)
    const ran = outcomes.filter(({ end }) => end === 'same' || end === 'differs')
    expect(ran.length).toBeGreaterThan(isLong ? 400 : 20)
    const differing = ran.filter(isBad)
    expect(differing.length / ran.length, words(differing)).toBeLessThanOrEqual(MOST)
  })
})

function summary(outcomes: readonly Outcome[]): string {
  const count = (...ends: Outcome['end'][]) => outcomes.filter(({ end }) => ends.includes(end)).length
  return `${outcomes.length}: ${count('asks')} ask; ${count('same', 'differs')} ran inside and outside, ${count('differs')} ended differently; ${count('missing')} need a tool that is missing here`
}

async function outcomesOf(group: string): Promise<Outcome[]> {
  await using world = await sandboxWorld({ settings: { readable: [PACKAGES] } })
  await layProject(group, world.project)
  layToolchains(world.home)
  // Outside is next to it: the same files, and the same home.
  const other = await gitRepo(join(world.home, 'outside'))
  await using _ = other
  await layProject(group, other)
  const [fresh, freshOther] = [join(world.home, 'fresh'), join(world.home, 'fresh-other')]
  cpSync(world.project.path, fresh, { recursive: true, verbatimSymlinks: true })
  cpSync(other.path, freshOther, { recursive: true, verbatimSymlinks: true })
  const reset = () => {
    replaceFolder(world.project.path, fresh)
    replaceFolder(other.path, freshOther)
  }

  const baton = batonIn(world.home, world.project.path)
  const own = COMMANDS.map((line, at) => ({ ...line, at })).filter(line => line.group === group)
  const input = own.map(({ command }) => JSON.stringify({ command })).join('\n')
  const ran = await baton.run(['check', '--batch'], { input })
  expect(ran.stderr).toBe('')
  const decisions = ran.stdout
    .trim()
    .split('\n')
    .map(line => Decision.parse(JSON.parse(line)))

  const outcomes: Outcome[] = []
  for (const [index, { command, at }] of own.entries()) {
    const { decision, sandbox, reason } = decisions[index] ?? { decision: 'none', reason: '' }
    if (decision !== 'allow') outcomes.push({ group, command, end: 'asks', why: reason })
    else if (!isRun(at) || !sandbox) outcomes.push({ group, command, end: 'not run' })
    else {
      reset()
      outcomes.push({ group, command, ...(await compare(command, world, other.path)) })
    }
  }
  return outcomes
}

const Decision = z.object({
  command: z.string(),
  decision: z.string(),
  sandbox: z.boolean().optional(),
  reason: z.string(),
})

async function compare(
  command: string,
  world: SandboxWorld,
  other: string,
): Promise<Pick<Outcome, 'end' | 'why'>> {
  const env = { PATH: process.env.PATH ?? '', HOME: world.home, LANG: 'C.UTF-8', ...plainGit }
  const child = spawn('/bin/bash', ['-c', command], { cwd: other, env, detached: true })
  child.stdin.end()
  // What it left in the background would keep its output open.
  child.once('exit', () => endGroup(child.pid))
  const outside = await endOf(child)
  if (
    /not found$|No such file or directory$/m.test(outside.stderr) &&
    (outside.code === 127 || outside.code === 126)
  )
    return { end: 'missing' }
  const inside = await world.run(command, { env })
  const [left, right] = [namesIn(other), namesIn(world.project.path)]
  if (outside.code !== inside.code)
    return {
      end: 'differs',
      why: `${outside.code} outside, ${inside.code} inside: ${inside.stderr.slice(-300)}`,
    }
  const different = [
    ...left.filter(name => !right.includes(name)),
    ...right.filter(name => !left.includes(name)),
  ]
  return different.length > 0
    ? { end: 'differs', why: `other files: ${different.join(', ')}` }
    : { end: 'same' }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left.
  }
}

/** Names of the project's files, without what is random in a build or a repository. */
const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(name => !/(^|\/)(\.git|node_modules|target|build|\.venv)(\/|$)|\d{4,}/.test(name))
    .sort()

function replaceFolder(folder: string, by: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
  cpSync(by, folder, { recursive: true, verbatimSymlinks: true })
}
