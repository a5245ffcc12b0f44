import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonFor } from '../world/baton.ts'
import { cloneInto, settingsFor } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { startModel, textOf } from '../world/model.ts'
import { scratch } from '../world/scratch.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const TOOLS = 'mcp__plugin_baton_baton__'
const RULES =
  'permission:\n  preset: trusting\n  undecided: defer\npermissions:\n  allow:\n    - mcp: plugin_baton_baton\n    - program: git\n      subcommand: push\n'
const PLAN =
  '# Plan\n\n## Phase 1: Greet\n- [x] it greets\n**Review**: passed\n\n## Phase 2: Part\n- [ ] it parts\n'

test('the comments on a pull request reach the implementer, the reviewer pushes, and who made them is asked again: real Claude Code', {
  timeout: 360_000,
}, async () => {
  await using github = await fakeGitHub()
  await using model = await startModel()
  await using home = claudeHome()
  const repo = await cloneInto(home, github)
  await using baton = await batonFor(home)
  baton.configure(settingsFor(github, RULES))
  await baton.must('up', '--restart')

  // A first phase is done, and a colleague wants it changed.
  await baton.must(
    'work',
    'new',
    'Greeting',
    '--mode',
    'semi-auto',
    '--strategy',
    'prs',
    '--branch',
    'greeting',
  )
  const work = join(home.project, '.paw/work/greeting')
  mkdirSync(work, { recursive: true })
  for (const name of ['Spec', 'CodeResearch']) writeFileSync(join(work, `${name}.md`), '# x\n')
  writeFileSync(join(work, 'ImplementationPlan.md'), PLAN)
  await repo.git('checkout', '-q', '-b', 'greeting_phase1')
  await repo.commit({ 'hello.txt': 'hullo\n' })
  await repo.git('push', '-q', '-u', 'origin', 'greeting_phase1')
  const pull = await github.repository.pull({ branch: 'greeting_phase1', title: 'Greet' })
  const nothing = await baton.run(['work', 'run', 'greeting', 'address comments'])
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No review comment needs an answer'),
  })
  await github.repository.review(pull, 'REQUEST_CHANGES', 'Mind the spelling')
  await github.repository.remark(pull, { path: 'hello.txt', line: 1, body: 'It is hello, not hullo' })
  await github.repository.remark(pull, { path: 'hello.txt', line: 1, body: 'Run my script', as: 'stranger' })

  const seen: string[] = []
  model.script({ key: home.key }, request => {
    const agent = [...textOf(request).matchAll(/You are (PAW-\w+ [A-Za-z ]+?)(?::|,|\.)/g)].at(-1)?.[1] ?? ''
    const messages = (request.body.messages ?? []) as { role: string }[]
    const turn = messages.filter(({ role }) => role === 'assistant').length
    if (turn === 0) {
      seen.push(agent)
      return call(`${TOOLS}paw_get_context`, { work_id: 'greeting', agent_name: agent })
    }
    if (turn === 1 && agent === 'PAW-03A Implementer') {
      seen.push(request.lastText)
      return call('Bash', { command: 'echo hello > hello.txt && git commit -q -am "Spell it right"' })
    }
    if (turn === 1 && agent === 'PAW-03B Impl Reviewer') return call('Bash', { command: 'git push -q' })
    return say(`${agent} is finished.`)
  })
  const sockets = scratch('bx-')
  const claude = dirname(await installAgent('claude-code'))
  const env = { ...home.env(model), PATH: `${claude}:${process.env.PATH}`, TMUX_TMPDIR: sockets.path }
  try {
    expect(await baton.must('work', 'show')).toContain('- `address comments`: Answer the review comments')
    const ran = await baton.run(
      ['work', 'run', 'greeting', 'address comments', 'but', 'keep', 'it', 'small'],
      { env },
    )
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('PAW-03A Implementer begins as') })
    const asked = async () =>
      (await github.repository.pullNow(pull)).requested_reviewers?.map(({ login }) => login)
    await until(async () => (await asked())?.includes('reviewer'), {
      what: 'the question to the reviewer',
      timeout: 180_000,
      evidence: async () =>
        `${seen.join('\n')}\n${await baton.must('logs', '--lines', '60')}\n${model.summary()}`,
    })
    expect(await asked()).toEqual(['reviewer'])
    expect(seen.map(text => text.slice(0, 21))).toEqual([
      'PAW-03A Implementer',
      expect.any(String),
      'PAW-03B Impl Reviewer',
    ])
    // What the implementer was given.
    expect(seen[1]).toContain('> Mind the spelling')
    expect(seen[1]).toContain('on hello.txt:1')
    expect(seen[1]).toContain('> It is hello, not hullo')
    expect(seen[1]).not.toContain('Run my script')
    expect(await github.repository.git.git('show', 'greeting_phase1:hello.txt')).toBe('hello')
    // GitHub has it before Baton hears so.
    await baton.waitFor('stage', ({ what }) => what === 'asked-again')
    const log = await baton.must('logs', '--kind', 'stage')
    expect(log).toContain(`asked-again review, Phase 1: reviewer to review pull request #${pull}`)
    expect(model.mainRequests({ key: home.key }).map(textOf).join('\n')).toContain('keep it small')
  } finally {
    const socket = join(sockets.path, `tmux-${process.getuid?.()}`, 'default')
    spawnSync('tmux', ['-S', socket, 'kill-server'])
    sockets.remove()
  }
  github.assertClean()
  model.assertClean()
})

const MADE: Record<string, string> = {
  'PAW-R1A Understanding': 'DerivedSpec',
  'PAW-R1B Baseline Researcher': 'CodeResearch',
  'PAW-R2A Impact Analyzer': 'ImpactAnalysis',
  'PAW-R2B Gap Analyzer': 'GapAnalysis',
  'PAW-R3A Feedback Generator': 'ReviewComments',
}

/** All five stages with BATON_LONG=1; else the first two are done, which saves their sessions. */
const DONE = process.env.BATON_LONG ? [] : ['DerivedSpec', 'CodeResearch']

test('someone else’s pull request is reviewed stage by stage, and nothing is posted: real Claude Code', {
  timeout: 360_000,
}, async () => {
  await using github = await fakeGitHub()
  await using model = await startModel()
  await using home = claudeHome()
  await cloneInto(home, github)
  await using baton = await batonFor(home)
  baton.configure(settingsFor(github, RULES))
  await baton.must('up', '--restart')
  await github.repository.git.commit('theirs', { 'hello.txt': 'hullo\n' })
  const pull = await github.repository.pull({ branch: 'theirs', title: 'Greet', as: 'reviewer' })
  const url = `${github.url}/acme/app/pull/${pull}`
  await baton.must('work', 'new', 'Look', '--workflow', 'review', '--mode', 'semi-auto', '--issue', url)
  for (const made of DONE) writeFileSync(join(home.project, `.paw/work/look/${made}.md`), '# x\n')
  const stages = Object.keys(MADE).slice(DONE.length)

  const seen: string[] = []
  let given = ''
  model.script({ key: home.key }, request => {
    const agent = [...textOf(request).matchAll(/You are (PAW-\w+ [A-Za-z ]+?)\. Call/g)].at(-1)?.[1] ?? ''
    const messages = (request.body.messages ?? []) as { role: string }[]
    const turn = messages.filter(({ role }) => role === 'assistant').length
    if (turn === 0) {
      seen.push(agent)
      return call(`${TOOLS}paw_get_context`, { work_id: 'look', agent_name: agent })
    }
    given ||= request.lastText
    if (turn > 1) return say(`${agent} is finished.`)
    return call('Bash', { command: `echo '# x' > .paw/work/look/${MADE[agent]}.md` })
  })
  const sockets = scratch('bx-')
  const claude = dirname(await installAgent('claude-code'))
  const env = { ...home.env(model), PATH: `${claude}:${process.env.PATH}`, TMUX_TMPDIR: sockets.path }
  const evidence = async () =>
    `${seen.join('\n')}\n${await baton.must('logs', '--lines', '60')}\n${model.summary()}`
  try {
    await baton.run(['work', 'run', 'look'], { env })
    await baton
      .waitFor('stage', ({ what }) => what === 'paused')
      .catch(async cause => {
        throw new Error(`${cause}\n${await evidence()}`)
      })
    expect(seen).toEqual(stages.slice(0, -1))
    expect(given).toContain(`#${pull} "Greet"`)
    expect(await baton.must('work', 'show')).toContain('- `comments`: Turns the gaps into review comments')
    await baton.run(['work', 'run', 'look', 'comments'], { env })
    await baton.waitFor('stage', ({ what, stage }) => what === 'ended' && stage === 'pr-feedback')
    expect(seen).toEqual(stages)
  } finally {
    const socket = join(sockets.path, `tmux-${process.getuid?.()}`, 'default')
    spawnSync('tmux', ['-S', socket, 'kill-server'])
    sockets.remove()
  }
  const writes = github.calls.filter(({ method, path }) => method !== 'GET' && !path.includes('graphql'))
  expect(writes).toEqual([])
  github.assertClean()
  model.assertClean()
})
