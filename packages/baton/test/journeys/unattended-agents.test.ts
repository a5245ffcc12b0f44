import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { opencode } from '../world/agents/opencode.ts'
import type { RealAgent } from '../world/agents/real.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { unattendedAgentWorld } from '../world/unattended.ts'
import { until } from '../world/wait.ts'

const BODY = '## What and why\nSubtraction.\n'

type Write = (project: string, name: string, content: string) => Turn

/** Codex carries such a command out itself. */
const patch: Write = (_, name, content) => {
  const lines = content.split('\n').map(line => `+${line}`)
  const text = ['*** Begin Patch', `*** Add File: ${name}`, ...lines.slice(0, -1), '*** End Patch']
  return codex.shell(`apply_patch <<'EOF'\n${text.join('\n')}\nEOF\n`)
}

const write: Write = (project, name, content) => call('write', { filePath: join(project, name), content })

/** What the text of the command prescribes for an issue, with this agent's tools. */
function implementation(
  shell: RealAgent['shell'],
  add: (name: string, content: string) => Turn,
  issue: number,
) {
  const plan = `.tmp/plan-of-issue-${issue}.md`
  const test =
    "require('node:test')('subtracts', () => require('node:assert').equal(require('./minus')(3, 2), 1))\n"
  return [
    shell(`gh issue view ${issue} --comments`),
    shell('git status --porcelain && git fetch'),
    shell(`git switch --no-track -c issue-${issue} origin/main`),
    add(plan, '- [ ] subtract\n'),
    add('minus.test.js', test),
    shell('npm test 2>&1 | tail -20'),
    add('minus.js', 'module.exports = (a, b) => a - b\n'),
    shell('npm test'),
    shell(`git add -A && git commit -qm "Subtract" && sed -i 's/\\[ \\]/[x]/' ${plan}`),
    say('The milestone is done.'),
    // Continued by Baton
    shell('git fetch && git rebase origin/main && npm test'),
    shell('git push -u origin HEAD'),
    add('.tmp/pr-body.md', `${BODY}\nRefs #${issue}\n`),
    shell('gh pr create --title "Subtract" --body-file .tmp/pr-body.md'),
    shell('gh pr view --json number,url,headRefOid'),
    shell('baton done'),
    say('The pull request is open.'),
  ]
}

test.each<[string, RealAgent, Write]>([
  ['Codex', codex, patch],
  ['opencode', opencode, write],
])(
  '/issue-to-impl goes from the command to the pull request with zero asks in the real %s, with default settings',
  {
    timeout: 600_000,
  },
  async (_, agent, add) => {
    await using world = await unattendedAgentWorld(agent)
    const { github, model, home, baton, env } = world
    const { repository } = github
    const issue = await repository.issue({ title: 'Subtract', body: 'We need subtraction.' })
    const turns = implementation(agent.shell, (name, content) => add(home.project, name, content), issue)
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
    const order = { prompt: ` /issue-to-impl ${issue}`, env, timeout: 300_000 }
    if (agent.serve) await agent.serve(home, order, async () => void (await ended()))
    else await home.run(order)
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
    // What nobody can judge by its text ran in the sandbox.
    const inside = bodies.flatMap(body =>
      body.kind === 'decision' && body.by === 'sandbox' ? body.subject : [],
    )
    expect(inside).toEqual(expect.arrayContaining(['npm test', 'git push -u origin HEAD', 'baton done']))
    expect(JSON.stringify(bodies)).not.toContain('/sandbox/box')
    github.assertClean()
    model.assertClean()
  },
)
