import { execFileSync, spawn } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentEvent } from '@batonpass/contract/event'
import { isBrokered } from '@batonpass/contract/journal'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { layProject, layToolchains, PACKAGES } from '../sandbox/everyday/fixtures.ts'
import { codex } from '../world/agents/codex.ts'
import { opencode } from '../world/agents/opencode.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { batonIn } from '../world/baton.ts'
import { startModel } from '../world/model.ts'
import { endOf } from '../world/sandbox.ts'
import { say } from '../world/turn.ts'

const SET = fileURLToPath(new URL('../sandbox/everyday/commands.jsonl', import.meta.url))
/** What asks a registry would leave this machine. */
const NEEDS_NETWORK =
  /^(?:npm (?:ci|install|outdated)|pip3? install|python3 -m pip install|(?:bundle|composer) install)\b/
/** A group whose tool is missing here has nothing to run. */
const TOOLS: Readonly<Record<string, string>> = { go: 'go', 'ruby-php': 'ruby', rust: 'cargo', java: 'javac' }
const FIRST = 'true'
const isLong = process.env['BATON_LONG'] === '1'
/** In the long form, so many may be asked about, and as many may end otherwise than outside. */
const MOST = 0.05

const LINES = readFileSync(SET, 'utf8')
  .trim()
  .split('\n')
  .map(line => z.object({ group: z.string(), command: z.string() }).parse(JSON.parse(line)))
  .filter(({ command }) => !NEEDS_NETWORK.test(command))

/** All groups whose tool is here; without BATON_LONG one command in three of a Node project. */
const GROUPS = isLong
  ? [...new Set(LINES.map(({ group }) => group))].filter(group => isInstalled(TOOLS[group] ?? 'sh'))
  : ['node']
const commandsOf = (group: string): string[] =>
  LINES.flatMap(line => (line.group === group ? line.command : [])).filter((_, at) => isLong || at % 3 === 0)

const AGENTS: readonly [string, RealAgent][] = [
  ['Codex', codex],
  ['opencode', opencode],
]

test.each(AGENTS.flatMap(([title, agent]) => GROUPS.map(group => [group, title, agent] as const)))(
  'a day’s commands of %s run in the real %s with default settings and without a question, and end as outside',
  { timeout: isLong ? 1_800_000 : 420_000 },
  async (group, title, agent) => {
    const commands = commandsOf(group)
    await using model = await startModel([agent.dialect])
    await using home = await agentHome(agent, model)
    await using baton = batonIn(home.path, home.project)
    baton.configure(`sandbox:\n  readable:\n    - ${PACKAGES}\n`)
    await layProject(group, home.repository)
    layToolchains(home.path)
    // Codex starts a login shell, for which the machine's profile may set another PATH.
    writeFileSync(join(home.path, '.profile'), `export PATH='${process.env.PATH}'\n`)
    const outside = join(home.path, 'outside')
    cpSync(home.project, outside, { recursive: true, verbatimSymlinks: true })
    await baton.must('init', '--agent', agent.name)
    removeScratch(commands)
    // A program that Baton sees for the first time first has to run this one; Baton tells its model so.
    const turns = [FIRST, ...commands].map(agent.shell)
    /** What the model was told about each command, in their order. */
    const told: string[] = []
    model.script({ key: home.key }, ({ toolResults }) => {
      if (turns.length < commands.length) told.push(toolResults.at(-1)?.text ?? '')
      // Of an ignored folder there is no snapshot, so to delete what an earlier command built there is a question.
      if (isLong) removeIgnored(home.project)
      return turns.shift() ?? say('All done.')
    })
    await home.run({ prompt: 'work', timeout: isLong ? 1_500_000 : 360_000 })

    const entries = await baton.entries({})
    expect(entries.filter(({ body }) => body.kind === 'fault')).toEqual([])
    // What the broker did for a command is a part of it; its questions count.
    const bodies = entries.flatMap(entry => (isBrokered(entry) ? [] : entry.body))
    const asked = entries.flatMap(({ body }) =>
      body.kind === 'ask' && body.what === 'opened'
        ? [`asks: ${body.title} ${body.detail?.split('\n')[0]}`]
        : [],
    )
    const decided = bodies.flatMap(body =>
      body.kind === 'decision' ? [{ subject: body.subject, words: `${body.decision} by ${body.by}` }] : [],
    )
    expect(decided.shift()).toEqual({ subject: FIRST, words: 'allow by sandbox' })
    expect(decided.map(({ subject }) => subject)).toEqual(commands)
    const refused = decided.filter(({ words }) => !words.startsWith('allow'))
    const inside = decided.filter(({ words }) => words === 'allow by sandbox')
    const elsewhere = decided.filter(({ words }) => words !== 'allow by sandbox')
    const ends = agent === codex ? endsInTexts(commands, told) : endsInEvents(eventsIn(bodies))
    const differing = isLong ? await endedOtherwise(commands, inside, ends, home, outside) : []
    removeScratch(commands)
    if (isLong)
      process.stdout.write(
        `${title}, ${group}: ${commands.length} commands, ${inside.length} in the sandbox, ${refused.length} refused or asked, ${asked.length} asks, ${ends.filter(({ code }) => code === 0).length} of ${ends.length} succeeded, ${differing.length} ended otherwise\n${[...elsewhere.map(({ subject, words }) => `${words}: ${subject}`), ...asked, ...differing].join('\n')}\n`,
      )
    if (!isLong)
      expect({ asked, refused, inside: inside.length }).toEqual({
        asked: [],
        refused: [],
        inside: commands.length,
      })
    expect(
      refused.length / commands.length,
      refused.map(({ subject }) => subject).join('\n'),
    ).toBeLessThanOrEqual(MOST)
    expect(asked.length / commands.length, asked.join('\n')).toBeLessThanOrEqual(MOST)
    expect(differing.length / commands.length, differing.join('\n')).toBeLessThanOrEqual(MOST)
  },
)

const eventsIn = (bodies: readonly { kind: string }[]): AgentEvent[] =>
  bodies.flatMap(body => ('event' in body && body.kind === 'event' ? [body.event as AgentEvent] : []))

/** How a command ended: its exit code, or 1 where the agent says only that it failed. */
interface End {
  command: string
  code: number
}

/** Codex's hooks are not told how a command ended; its model is. A command that still ran has no code. */
const endsInTexts = (commands: readonly string[], told: readonly string[]): End[] =>
  commands.flatMap((command, at) => {
    const code = /^Process exited with code (\d+)$/m.exec(told[at] ?? '')?.[1]
    return code === undefined ? [] : { command, code: Number(code) }
  })

const endsInEvents = (events: readonly AgentEvent[]): End[] =>
  events.flatMap(event =>
    event.type === 'ToolFinished' && event.action.kind === 'shell'
      ? { command: event.action.command, code: Number(event.failed) }
      : [],
  )

/** Commands of the sandbox whose end differs from that of the same commands, in the same order, without a sandbox. */
async function endedOtherwise(
  commands: readonly string[],
  inside: readonly { subject: string }[],
  ends: readonly End[],
  home: AgentHome,
  outside: string,
): Promise<string[]> {
  const differing: string[] = []
  for (const command of commands) {
    removeIgnored(outside)
    const child = spawn('/bin/bash', ['-c', command], { cwd: outside, env: home.env(), detached: true })
    child.stdin.end()
    child.once('exit', () => endGroup(child.pid))
    const { code } = await endOf(child)
    const end = ends.find(each => each.command === command)
    if (!inside.some(({ subject }) => subject === command) || end === undefined) continue
    if ((end.code === 0) !== (code === 0)) differing.push(`${end.code} inside, ${code} outside: ${command}`)
  }
  return differing
}

const removeIgnored = (folder: string): void =>
  void execFileSync('git', ['clean', '-fdXq', '-e', '!/node_modules'], { cwd: folder })

/** What the commands leave in this machine's /tmp outside: the next run would be asked before it overwrites that. */
function removeScratch(commands: readonly string[]): void {
  for (const [path] of commands.join('\n').matchAll(/\/tmp\/[\w.-]+/g))
    rmSync(path, { recursive: true, force: true })
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left.
  }
}

function isInstalled(tool: string): boolean {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
