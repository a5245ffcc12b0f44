import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { installAgent } from '../world/agents/install.ts'
import { opencode } from '../world/agents/opencode.ts'
import type { AgentHome, RealAgent } from '../world/agents/real.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { unattendedAgentWorld } from '../world/unattended.ts'
import { until } from '../world/wait.ts'

const BODY = '## What and why\nSubtraction.\n'

/** An agent with its own default settings, and how its model works with them. */
interface Tried {
  agent: RealAgent
  write(project: string, name: string, content: string): Turn
  /** What stays in the agent's own sandbox, if it has one. */
  shell(command: string): Turn
  /** What cannot work there. */
  outside(command: string): Turn
  start(home: AgentHome, order: Order, ended: () => Promise<unknown>): Promise<unknown>
  /** Where `npm test` ran. */
  sandbox: string
}

interface Order {
  prompt: string
  env: Record<string, string>
}

/** In a terminal: its sandbox is on, hides `.git` and the network, and it asks before a command leaves it. */
const inCodex: Tried = {
  agent: codex,
  sandbox: "runs in Codex's own sandbox (workspace-write)",
  // Codex carries such a command out itself.
  write(_, name, content) {
    const lines = content.split('\n').map(line => `+${line}`)
    const text = ['*** Begin Patch', `*** Add File: ${name}`, ...lines.slice(0, -1), '*** End Patch']
    return codex.shell(`apply_patch <<'EOF'\n${text.join('\n')}\nEOF\n`)
  },
  shell: codex.shell,
  outside: cmd =>
    call('exec_command', {
      cmd,
      sandbox_permissions: 'require_escalated',
      justification: 'Do you want to work on the issue?',
    }),
  async start(home, { prompt, env }, ended) {
    await using terminal = await startTerminal({
      // The first flag keeps it from leaving a process behind. Hooks are trusted once in its terminal; a test has none.
      command: [
        await installAgent('codex'),
        ...['--disable', 'daemon_auto_start', '--dangerously-bypass-hook-trust', '--', prompt],
      ],
      cwd: home.project,
      env: { ...home.env(), ...env },
    })
    await ended().catch(async cause => {
      throw new Error(`${cause}\n${await terminal.history()}`, { cause })
    })
  },
}

const inOpencode: Tried = {
  agent: opencode,
  sandbox: 'runs in the sandbox',
  write: (project, name, content) => call('write', { filePath: join(project, name), content }),
  shell: opencode.shell,
  outside: opencode.shell,
  start: async (home, order, ended) =>
    await opencode.serve?.(home, { ...order, timeout: 300_000 }, async () => void (await ended())),
}

/** What the text of the command prescribes for an issue, with this agent's tools. */
function implementation(
  { shell, outside }: Tried,
  add: (name: string, content: string) => Turn,
  issue: number,
) {
  const plan = `.tmp/plan-of-issue-${issue}.md`
  const test =
    "require('node:test')('subtracts', () => require('node:assert').equal(require('./minus')(3, 2), 1))\n"
  return [
    outside(`gh issue view ${issue} --comments`),
    outside('git status --porcelain && git fetch'),
    outside(`git switch --no-track -c issue-${issue} origin/main`),
    add(plan, '- [ ] subtract\n'),
    add('minus.test.js', test),
    shell('npm test 2>&1 | tail -20'),
    add('minus.js', 'module.exports = (a, b) => a - b\n'),
    shell('npm test'),
    outside(`git add -A && git commit -qm "Subtract" && sed -i 's/\\[ \\]/[x]/' ${plan}`),
    say('The milestone is done.'),
    // Continued by Baton
    outside('git fetch && git rebase origin/main && npm test'),
    outside('git push -u origin HEAD'),
    add('.tmp/pr-body.md', `${BODY}\nRefs #${issue}\n`),
    outside('gh pr create --title "Subtract" --body-file .tmp/pr-body.md'),
    outside('gh pr view --json number,url,headRefOid'),
    outside('baton done'),
    say('The pull request is open.'),
  ]
}

test.each<[string, Tried]>([
  ['Codex', inCodex],
  ['opencode', inOpencode],
])(
  '/issue-to-impl goes from the command to the pull request with zero asks in the real %s, with default settings',
  {
    timeout: 600_000,
  },
  async (_, tried) => {
    await using world = await unattendedAgentWorld(tried.agent)
    const { github, model, home, baton, env } = world
    const { repository } = github
    const issue = await repository.issue({ title: 'Subtract', body: 'We need subtraction.' })
    const turns = implementation(tried, (name, content) => tried.write(home.project, name, content), issue)
    model.script({ key: home.key }, () => turns.shift() ?? say('Nothing is left to do.'))
    const isOver = async () =>
      (await baton.entries({ kind: 'workflow' })).some(
        ({ body }) => body.kind === 'workflow' && body.what === 'ended',
      )
    const evidence = async () => `${await baton.must('logs')}\n${model.summary()}`
    const ended = () =>
      until(async () => (await isOver()) || (await world.questions()).length > 0, {
        what: 'the end of the run',
        timeout: 300_000,
        every: 300,
        evidence,
      })
    // The blank keeps the agent from looking for a command of its own; for Baton it is the workflow's.
    await tried.start(home, { prompt: ` /issue-to-impl ${issue}`, env }, ended)
    await ended()
    await world.expectNoAsk()
    expect(turns).toEqual([])

    const [pull] = await repository.pulls()
    expect(pull).toMatchObject({ head: { ref: `issue-${issue}` } })
    // The agent's own text, and what Baton found out.
    expect(pull?.body).toContain(`${BODY}\nRefs #${issue}\n`)
    expect(pull?.body).toMatch(/\*\*Proven\.\*\*[\s\S]*\| npm test \| passed \|/)
    expect(await repository.git.git('show', `issue-${issue}:minus.js`)).toContain('a - b')
    const bodies = (await baton.entries({})).map(({ body }) => body)
    expect(bodies).toContainEqual(
      expect.objectContaining({ kind: 'workflow', workflow: 'issue-to-impl', end: 'proven' }),
    )
    // What no one can judge by its text ran in a sandbox; what left it went through the broker.
    const reasons = (command: string) =>
      bodies.flatMap(body =>
        body.kind === 'decision' && body.by === 'sandbox' && body.subject === command ? body.reason : [],
      )
    expect(reasons('npm test').join()).toContain(tried.sandbox)
    for (const command of ['git push -u origin HEAD', 'baton done'])
      expect(reasons(command).join()).toContain('runs in the sandbox')
    const brokered = bodies.flatMap(body => (body.kind === 'broker' ? body.command : []))
    expect(brokered).toEqual(
      expect.arrayContaining([expect.stringMatching(/^git push/), expect.stringMatching(/^gh pr create/)]),
    )
    expect(JSON.stringify(bodies)).not.toContain('/sandbox/box')
    github.assertClean()
    model.assertClean()
  },
)
