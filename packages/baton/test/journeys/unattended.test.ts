import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BOARD_OPERATIONS } from '../../src/permission/grants/board-operations.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { callSocket } from '../world/claims.ts'
import { textOf } from '../world/model.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { type UnattendedWorld, unattendedWorld } from '../world/unattended.ts'
import { until } from '../world/wait.ts'

const plugin = join(import.meta.dirname, '../../../../plugin')
const bash = (command: string) => call('Bash', { command })
const PLAN = `--- the plan\n- [ ] divide\n${'Divide two numbers, and refuse a zero. '.repeat(6)}\n`
const BODY = '## What and why\nSubtraction.\n'
/** There is no such issue. */
const LIE = 'Fixes #4711.'

/** Plays one workflow after another in an agent. */
function player({ model, home }: UnattendedWorld) {
  let turns: Turn[] = []
  // A subagent's first message is its task.
  const isSubagent = /^helper-task/m
  model.script(isSubagent, [bash('git log --oneline -3 && ls'), say('I have no concerns.', { times: 99 })])
  model.script({ key: home.key }, () => turns.shift() ?? say('Nothing is left to do.'))
  return {
    play: (next: Turn[]) => {
      turns = next
    },
    left: () => turns.length,
  }
}

const helper = (kind: string) =>
  call('Task', { subagent_type: `baton:${kind}`, description: kind, prompt: 'helper-task: look at this' })

const writeIn = (project: string) => (name: string, content: string) =>
  call('Write', { file_path: join(project, name), content })

/** The end of a run whose work fails on a clean checkout: the agent forgot to commit a file that its test needs. */
const forgetful = (issue: number): Turn[] => [
  bash(
    `echo 'module.exports = 1' > one.js && echo "require('./one')" >> minus.js && git commit -qam "One" && git push origin issue-${issue}`,
  ),
  bash('npm test && baton done'),
  say('All tests pass, and the pull request is open.'),
  // Sent back by Baton
  bash('git status --porcelain'),
  bash(`git add one.js && git commit -qm "Add one.js" && git push origin issue-${issue}`),
  bash('baton done'),
  say('The pull request contains it now.'),
]

/** A run whose test never passes: the agent says three times that it is done. */
const unteachable = (issue: number): Turn[] => [
  bash(
    `echo "require('node:test')('never', () => { throw new Error('never passes') })" > never.test.js && git add -A && git commit -qm "Never" && git push origin issue-${issue}`,
  ),
  ...['first', 'second', 'third'].flatMap(time => [
    bash(`git commit -q --allow-empty -m "The ${time} time" && git push origin issue-${issue}`),
    bash('baton done'),
    say('It is done.'),
  ]),
]

/** What the text of the command prescribes for an issue. */
function implementation({ home }: UnattendedWorld, issue: number): Turn[] {
  const write = writeIn(home.project)
  const plan = `.tmp/plan-of-issue-${issue}.md`
  const test =
    "require('node:test')('subtracts', () => require('node:assert').equal(require('./minus')(3, 2), 1))\n"
  return [
    bash(`gh issue view ${issue} --comments`),
    bash('git status --porcelain'),
    bash('git fetch'),
    bash(`git switch --no-track -c issue-${issue} origin/main`),
    write(plan, '- [ ] subtract\n'),
    write('minus.test.js', test),
    bash('npm test 2>&1 | tail -20'),
    write('minus.js', 'module.exports = (a, b) => a - b\n'),
    bash('npm test'),
    bash(`git add -A && git commit -qm "Subtract" && sed -i 's/\\[ \\]/[x]/' ${plan}`),
    say('The milestone is done.'),
    // Continued by Baton
    bash('git fetch && git rebase origin/main && npm test'),
    helper('code-quality-reviewer'),
    call('Skill', { skill: 'baton:open-pr' }),
    bash(`gh pr view --json url,state -q '.url + " " + .state'`),
    bash('git push -u origin HEAD'),
    write('.tmp/pr-body.md', `${BODY}\nRefs #${issue}\n\n${LIE}\n`),
    bash('gh pr create --title "Subtract" --body-file .tmp/pr-body.md'),
    bash('gh pr view --json number,url,headRefOid'),
    // A point of the review, settled after the push.
    bash(
      `echo '// Subtracts.' >> minus.js && git commit -qa --amend --no-edit && git push --force-with-lease origin issue-${issue}`,
    ),
    bash(`gh issue comment ${issue} --body "The pull request is open."`),
    bash('baton done'),
    say('The pull request is open.'),
  ]
}

const LABEL = 'gh label create plan --force --description "An implementation plan" --color 0e8a16'

describe('no one is asked, with the real Claude Code and default settings', () => {
  test('all four workflows run from the slash command to their end with zero asks', {
    timeout: 900_000,
  }, async () => {
    await using world = await unattendedWorld()
    const { github, model, home, baton, env } = world
    const { repository } = github
    const board = github.board({ owner: 'acme' })
    const issue = await repository.issue({ title: 'Subtract', body: 'We need subtraction.' })
    const { play, left } = player(world)
    const write = writeIn(home.project)
    await using terminal = await claudeInTmux({ home, model, pluginDir: plugin, env })
    const evidence = async () => `${await terminal.screen()}\n${await baton.must('logs')}\n${model.summary()}`
    const ends = async () =>
      (await baton.entries({ kind: 'workflow' })).flatMap(({ body }) =>
        body.kind === 'workflow' && body.what === 'ended' ? [`${body.workflow} ${body.end}`] : [],
      )
    const sentBackTimes = async () =>
      (await baton.entries({ kind: 'workflow' })).filter(
        ({ body }) => body.kind === 'workflow' && body.what === 'sent-back',
      ).length
    const run = async (prompt: string, turns: Turn[]) => {
      const before = (await ends()).length
      play(turns)
      await terminal.submit(prompt)
      const isOver = async () => (await ends()).length > before && left() === 0
      await until(async () => (await isOver()) || (await world.questions()).length > 0, {
        what: `the end of ${prompt}`,
        timeout: 240_000,
        every: 200,
        evidence,
      })
      await world.expectNoAsk()
    }

    const work = implementation(world, issue).slice(0, -2)
    await run(`/baton:issue-to-impl ${issue}`, [...work, ...forgetful(issue)])
    const sentBack = model
      .mainRequests({ key: home.key })
      .map(textOf)
      .flatMap(text => /this work is not proven yet[\s\S]{0,3000}/.exec(text) ?? [])
    expect(sentBack[0], await baton.must('logs')).toMatch(
      /npm test failed with exit code 1[\s\S]*Cannot find module/,
    )
    const [pull] = await repository.pulls()
    expect(pull).toMatchObject({ head: { ref: `issue-${issue}` } })
    // The agent's own text, and what Baton found out.
    expect(pull?.body).toContain(`${BODY}\nRefs #${issue}\n\n${LIE}\n`)
    expect(pull?.body).toMatch(/\*\*Proven\.\*\*[\s\S]*\| npm test \| passed \|/)
    // The lie in its text went back to the agent once, with the failed check, and is stated now.
    expect(sentBack[0]).toMatch(/What you reported differs[\s\S]*#4711/)
    expect(await sentBackTimes()).toBe(1)
    expect(pull?.body).toMatch(/What the agent reported differs from what Baton found:[\s\S]*4711/)
    expect(await repository.git.git('show', `issue-${issue}:minus.js`)).toContain('// Subtracts.')
    expect((await repository.issueNow(issue)).comments).toEqual(['The pull request is open.'])

    // The same failure three times: the run has stalled, and says why wherever a person looks.
    await run(`/baton:issue-to-impl ${issue}`, unteachable(issue))
    expect(await sentBackTimes()).toBe(1 + 2)
    const stalled = (await baton.entries({ kind: 'workflow' })).map(({ body }) => body)
    expect(stalled.filter(body => body.kind === 'workflow' && body.what === 'ended').at(-1)).toMatchObject({
      end: 'stalled',
      reason: expect.stringMatching(/the same failure 3 times: npm test failed with exit code 1/),
    })
    const [proof] = JSON.parse(await baton.must('proof', '--json')).proofs
    expect(await baton.must('proof', proof.id)).toContain('never passes')
    expect((await repository.pulls())[0]?.body).toMatch(/\*\*Unproven: npm test failed with exit code 1/)

    await run('/baton:plan-to-issue docs/plan.md', [
      write('.tmp/plan-issue.md', PLAN),
      bash('gh issue list --search "in:title divide" --state open'),
      // A creation that fails uses nothing up.
      bash('gh issue create --title "[plan] divide" --label plan --body-file .tmp/plan-issue.md'),
      bash(LABEL),
      bash(
        'echo posting && gh issue create --title "[plan] divide" --label plan --body-file .tmp/plan-issue.md',
      ),
      bash(`gh issue edit ${issue + 2} --title "[plan] divide numbers"`),
      bash(`gh issue view ${issue + 2}`),
      bash('baton done'),
      say('It is posted.'),
    ])
    expect(await repository.issueNow(issue + 2)).toMatchObject({
      title: '[plan] divide numbers',
      body: PLAN,
      labels: [expect.objectContaining({ name: 'plan' })],
    })

    await run('/baton:ultra-planner Multiply numbers', [
      bash('gh auth status'),
      helper('codebase-scout'),
      helper('bold-proposer'),
      helper('plan-critic'),
      helper('plan-reducer'),
      write('.tmp/plan.md', `## Problem\nNo multiplication.\n${PLAN}`),
      bash('gh issue create --title "[plan] Multiply" --label plan --body-file .tmp/plan.md'),
      bash(`gh issue view ${issue + 3}`),
      bash('baton done'),
      say('It is posted.'),
    ])
    expect(await repository.issueNow(issue + 3)).toMatchObject({ title: '[plan] Multiply' })

    await run('/baton:setup-viewboard', [
      bash('gh auth status'),
      bash('gh repo view --json owner -q .owner.login'),
      bash('baton claim board setup --title "app board"'),
      bash(`gh api graphql -f owner=acme -f name=app -f query='${BOARD_OPERATIONS.find}'`),
      bash(
        'gh label create needs-person --force --color d93f0b --description "An agent cannot continue alone"',
      ),
      bash('baton done'),
      say('The board is set up.'),
    ])
    expect(board.fields()).toContain('Agent')
    const results = model.mainRequests({ key: home.key }).flatMap(({ toolResults }) => toolResults)
    const answers = new Set(results.filter(({ text }) => text.includes('projectsV2')).map(({ text }) => text))
    expect([...answers]).toEqual([expect.stringContaining('"projectsV2"')])
    expect(await ends()).toEqual([
      'issue-to-impl proven',
      'issue-to-impl stalled',
      'plan-to-issue proven',
      'ultra-planner proven',
      'setup-viewboard proven',
    ])
    github.assertClean()
    model.assertClean()
  })

  test('/issue-to-impl asks no one in acceptEdits and bypassPermissions mode, and asks in plan mode', {
    timeout: 900_000,
  }, async () => {
    await using world = await unattendedWorld()
    const { github, model, home, baton, env } = world
    const { play, left } = player(world)
    const run = async (mode: string, issue: number, signal?: AbortSignal) =>
      await runClaude({
        home,
        model,
        prompt: `/baton:issue-to-impl ${issue}`,
        args: ['--permission-mode', mode],
        pluginDir: plugin,
        env,
        timeout: 240_000,
        ...(signal ? { signal } : {}),
      })
    for (const mode of ['acceptEdits', 'bypassPermissions']) {
      const issue = await github.repository.issue({ title: 'Subtract' })
      play(implementation(world, issue))
      expect((await run(mode, issue)).isError).toBe(false)
      expect(left()).toBe(0)
      await world.expectNoAsk()
      expect((await github.repository.pulls()).map(({ head }) => head.ref)).toContain(`issue-${issue}`)
    }
    model.assertClean()

    const issue = await github.repository.issue({ title: 'Subtract' })
    const before = await github.repository.git.branches()
    play([bash(`git push origin HEAD:refs/heads/issue-${issue}`), say('Nobody answered.', { times: 9 })])
    const giveUp = new AbortController()
    const planning = run('plan', issue, giveUp.signal)
    await until(async () => (await world.questions()).length > 0, {
      what: 'the question about the push',
      timeout: 240_000,
      every: 200,
      evidence: async () => `${await baton.must('logs')}\n${model.summary()}`,
    })
    giveUp.abort()
    await planning
    expect(JSON.stringify(await world.questions())).toContain('git push')
    expect(await github.repository.git.branches()).toEqual(before)
    github.assertClean()
  })

  test('a claim goes from /claim to the merge with zero asks; then the one question is whether to close the issue', {
    timeout: 900_000,
  }, async () => {
    await using world = await unattendedWorld()
    const { github, model, home, baton, env } = world
    const { repository } = github
    const issue = await repository.issue({ title: 'Subtract' })
    const { play } = player(world)
    const write = writeIn(home.project)
    await using terminal = await claudeInTmux({ home, model, pluginDir: plugin, env })
    const evidence = async () => `${await terminal.screen()}\n${await baton.must('logs')}\n${model.summary()}`
    const eventually = <T>(what: string, look: () => Promise<T>) =>
      until(
        async () => {
          const found = await look()
          return found || ((await world.questions()).length > 0 ? ('asked' as const) : undefined)
        },
        { what, timeout: 240_000, every: 200, evidence },
      )
    const nudge = () => callSocket(baton.stateDir, 'POST', '/api/claims/nudge', { repository: 'acme/app' })

    play([
      bash(`baton claim ${issue}`),
      bash(`gh issue view ${issue} --comments`),
      write('minus.js', 'module.exports = (a, b) => a - b\n'),
      bash('npm test && git add -A && git commit -qm "Subtract"'),
      bash('baton claim ready --summary "Subtract numbers"'),
      say('Handed off.'),
    ])
    await terminal.submit(`/baton:claim ${issue}`)
    await eventually('the pull request', async () => (await repository.pulls()).length > 0)
    await world.expectNoAsk()
    const [pull] = await repository.pulls()
    if (!pull) throw new Error('no pull request')
    await until(async () => (await baton.must('claim', 'list')).includes(`#${pull.number}`), {
      what: 'the claim to know it',
      timeout: 240_000,
      evidence,
    })

    // A check fails: Baton types it into the terminal, and the agent repairs the branch.
    play([
      bash(`git commit -q --allow-empty -m again && git push`),
      bash(
        `git commit -q --amend --allow-empty -m 'Subtract well' && git push --force-with-lease origin issue-${issue}`,
      ),
      bash(`gh pr comment ${pull.number} --body "Repaired."`),
      say('Repaired and pushed.'),
    ])
    await repository.check(pull.number, 'test', { state: 'failure', workflow: 'CI', log: 'expected 1\n' })
    await nudge()
    const comments = `/repos/acme/app/issues/${pull.number}/comments`
    await eventually('the comment', async () =>
      github.calls.some(
        ({ method, path, status }) => `${method} ${path} ${status}` === `POST ${comments} 201`,
      ),
    )
    await world.expectNoAsk()
    expect(await repository.git.git('log', '-1', '--format=%s', `issue-${issue}`)).toBe('Subtract well')

    await repository.check(pull.number, 'test', 'success')
    await repository.merge(pull.number)
    const isAsked = async () => {
      await nudge()
      return (await world.questions()).length > 0
    }
    await until(isAsked, {
      what: 'the question',
      timeout: 240_000,
      every: 2000,
      evidence,
    })
    const { asks } = JSON.parse(await baton.must('asks', '--json'))
    expect(asks).toMatchObject([{ title: `PR #${pull.number} merged! Should I close issue #${issue}?` }])
    github.assertClean()
  })
})
