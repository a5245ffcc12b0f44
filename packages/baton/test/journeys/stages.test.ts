import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StageEntry } from '@batonpass/contract/work'
import { describe, expect, test } from 'vitest'
import { type ClaudeHome, claudeCode, claudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { codex } from '../world/agents/codex.ts'
import { hostable } from '../world/agents/hostable.ts'
import { installAgent } from '../world/agents/install.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { anthropic } from '../world/dialects/anthropic.ts'
import { type Model, type ModelRequest, startModel, textOf } from '../world/model.ts'
import { scratch } from '../world/scratch.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { unattendedWorld } from '../world/unattended.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')
const PLUGIN = join(import.meta.dirname, '../../../../plugin')
const WORK = '.paw/work/auth-system'
/** Its own tools need no question here; the project's files are the agent's to write. */
const RULES = 'permissions:\n  allow:\n    - mcp: baton\n    - tool: Write\n'

function mcpConfig(home: ClaudeHome): string[] {
  const file = join(home.path, 'mcp.json')
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { baton: { command: process.execPath, args: [CLI, 'mcp'] } } }),
  )
  return ['--mcp-config', file]
}

/** Which agent a session is, by the prompt it began with, and how often it has answered. */
function stageOf(request: ModelRequest): { agent: string; phase: number; turn: number } {
  // The last one said so: a handoff document may quote what an earlier session was told.
  const said = [
    ...textOf(request).matchAll(
      /You are (PAW-\w+ [A-Za-z ]+?)(?:: implement Phase (\d+)|, Phase (\d+))?\. Call/g,
    ),
  ]
  const [, agent = '', implemented, other] = said.at(-1) ?? []
  const messages = (request.body.messages ?? []) as { role: string }[]
  return {
    agent,
    phase: Number(implemented ?? other) || 0,
    turn: messages.filter(({ role }) => role === 'assistant').length,
  }
}

const PLAN = '# Plan\n\n## Phase 1: Store\n- [ ] tests pass\n\n## Phase 2: API\n- [ ] tests pass\n'

interface Playing {
  calls: (agent: string) => string | undefined
  server?: string
  /** What a stage does after it has written its file. */
  more?: (agent: string, phase: number) => Turn[]
}

/** Plays every stage as a good agent would: it writes its file, hands over if `calls` says so, and stops. */
function play(
  model: Model,
  home: ClaudeHome,
  { calls, server = 'baton', more = () => [] }: Playing,
): string[] {
  const seen: string[] = []
  const file = (name: string, content: string): Turn =>
    call('Write', { file_path: join(home.project, WORK, name), content })
  const plan = (change: (text: string) => string): Turn => {
    const path = join(home.project, WORK, 'ImplementationPlan.md')
    return call('Bash', {
      command: `cat > ${WORK}/ImplementationPlan.md <<'END'\n${change(readFileSync(path, 'utf8'))}END`,
    })
  }
  const works: Record<string, (phase: number) => Turn> = {
    'PAW-01A Specification': () =>
      existsSync(join(home.project, WORK, 'SpecResearch.md'))
        ? file('Spec2.md', 'x')
        : file('Spec.md', '# Spec\n\n## Research Questions\n- [ ] How are tokens stored?\n'),
    'PAW-01B Spec Researcher': () => file('SpecResearch.md', '# Answers\n'),
    'PAW-02A Code Researcher': () => file('CodeResearch.md', '# Code\n'),
    'PAW-02B Impl Planner': () => file('ImplementationPlan.md', PLAN),
    'PAW-03A Implementer': phase => plan(text => tick(text, phase, '- [ ] tests pass', '- [x] tests pass')),
    'PAW-03B Impl Reviewer': phase => plan(text => tick(text, phase, '\n', '\n**Review**: passed\n')),
    'PAW-04 Documenter': () => file('Docs.md', '# Docs\n'),
    'PAW-05 PR': () => file('pr.txt', 'opened'),
  }
  model.script({ key: home.key }, request => {
    const { agent, phase, turn } = stageOf(request)
    const work = works[agent]
    if (!work) return undefined
    if (turn === 0) {
      seen.push(phase ? `${agent} ${phase}` : agent)
      return call(`mcp__${server}__paw_get_context`, { work_id: 'auth-system', agent_name: agent })
    }
    if (turn === 1) {
      // The second time the specification is settled: its questions are ticked.
      if (agent === 'PAW-01A Specification' && existsSync(join(home.project, WORK, 'SpecResearch.md')))
        return call('Bash', {
          command: `printf '# Spec\\n\\n## Research Questions\\n- [x] How are tokens stored?\\n' > ${WORK}/Spec.md`,
        })
      return work(phase)
    }
    const also = more(agent, phase)
    const step = also[turn - 2]
    if (step) return step
    const next = turn === 2 + also.length ? calls(agent) : undefined
    if (next) return call(`mcp__${server}__paw_call_agent`, { target_agent: next, work_id: 'auth-system' })
    return say(`${agent} ${phase} is finished.`)
  })
  return seen
}

/** Changes the text of one phase. */
function tick(plan: string, phase: number, from: string, to: string): string {
  const start = plan.indexOf(`## Phase ${phase}:`)
  return plan.slice(0, start) + plan.slice(start).replace(from, to)
}

const stagesOf = async (baton: BatonHere): Promise<StageEntry[]> =>
  (await baton.entries({ kind: 'stage' })).flatMap(({ body }) => (body.kind === 'stage' ? body : []))

const EVERYTHING = [
  'PAW-01A Specification',
  'PAW-01B Spec Researcher',
  'PAW-01A Specification',
  'PAW-02A Code Researcher',
  'PAW-02B Impl Planner',
  'PAW-03A Implementer 1',
  'PAW-03B Impl Reviewer 1',
  'PAW-03A Implementer 2',
  'PAW-03B Impl Reviewer 2',
  'PAW-04 Documenter',
  'PAW-05 PR',
]

describe('staged work, with the real Claude Code', () => {
  test('auto mode goes from /stage to the pull request with zero asks in default settings, each stage in a fresh session', {
    timeout: 600_000,
  }, async () => {
    await using world = await unattendedWorld()
    const { model, home, baton, github, env } = world
    const { repository } = github
    const issue = await repository.issue({ title: 'Auth', body: 'We need tokens.' })
    const url = `https://${new URL(github.url).host}/acme/app/issues/${issue}`
    await baton.must('work', 'new', 'Auth System', '--mode', 'auto', '--issue', url)
    const bash = (command: string) => call('Bash', { command })
    const module = (phase: number) =>
      bash(
        `echo 'module.exports = ${phase}' > phase${phase}.js && npm test && git add -A && git commit -qm "Phase ${phase}"`,
      )
    const works: Record<string, (phase: number) => Turn[]> = {
      'PAW-01A Specification': () => [bash(`gh issue view ${issue} --comments`)],
      'PAW-03A Implementer': phase => [
        ...(phase === 1
          ? [bash('git fetch && git switch --no-track -c feature/auth-system origin/main')]
          : []),
        module(phase),
      ],
      'PAW-03B Impl Reviewer': phase => [
        bash(`git log --oneline -3 && npm test && git add -A && git commit -qm "Review ${phase}"`),
        bash('git push -u origin HEAD'),
      ],
      'PAW-04 Documenter': () => [bash('git add -A && git commit -qm "Document it"')],
      'PAW-05 PR': () => [
        bash('git fetch && git rebase origin/main && npm test'),
        bash('git push --force-with-lease origin feature/auth-system'),
        bash(
          `gh pr create --title "Auth System" --body "$(printf 'Tokens.\n\nRefs #${issue}\n')" && gh pr view --json url`,
        ),
        bash(`gh pr comment ${issue + 1} --body "Ready." && gh issue comment ${issue} --body "It is open."`),
      ],
    }
    // The person types a command; the session that gets it only hands over.
    const handsOver = /call paw_call_agent with exactly (\{.*?\}) as your last action/
    model.script({ key: home.key }, request => {
      const { agent, turn } = stageOf(request)
      const said = handsOver.exec(textOf(request).replaceAll('\\"', '"'))?.[1]
      if (agent !== '' || said === undefined) return undefined
      return turn === 0
        ? call('mcp__plugin_baton_baton__paw_call_agent', JSON.parse(said))
        : say('It is handed over.')
    })
    // Some hand over by the tool; the others only stop, and Baton hands over for them.
    const seen = play(model, home, {
      server: 'plugin_baton_baton',
      calls: agent =>
        ({ 'PAW-02A Code Researcher': 'PAW-02B Impl Planner', 'PAW-04 Documenter': 'PAW-05 PR' })[agent],
      more: (agent, phase) => works[agent]?.(phase) ?? [],
    })
    await using terminal = await claudeInTmux({ home, model, pluginDir: PLUGIN, env })
    await terminal.submit('/baton:stage spec')
    const ended = async () => (await stagesOf(baton)).some(({ what }) => what === 'ended')
    await until(async () => (await ended()) || (await world.questions()).length > 0, {
      what: 'the last stage',
      timeout: 480_000,
      every: 500,
      evidence: async () =>
        `${seen.join('\n')}\n${await baton.must('logs')}\n${model.summary()}\n${await terminal.screen()}`,
    })
    await world.expectNoAsk()
    expect(seen).toEqual(EVERYTHING)
    const begun = (await baton.entries({ kind: 'stage' })).filter(
      ({ body }) => body.kind === 'stage' && body.what === 'begun',
    )
    expect(begun).toHaveLength(EVERYTHING.length)
    expect(new Set(begun.map(({ session }) => session)).size).toBe(EVERYTHING.length)
    expect(
      (await stagesOf(baton)).filter(({ what }) =>
        ['paused', 'blocked', 'failed', 'reminded'].includes(what),
      ),
    ).toEqual([])
    expect(await repository.pulls()).toMatchObject([
      {
        title: 'Auth System',
        head: { ref: 'feature/auth-system' },
        body: expect.stringMatching(
          new RegExp(`^Tokens\\.\n\nRefs #${issue}\n[\\s\\S]*\\*\\*Proven\\.\\*\\*`),
        ),
      },
    ])
    expect((await stagesOf(baton)).at(-1)).toMatchObject({ what: 'ended', end: 'proven' })
    expect((await repository.issueNow(issue)).comments).toEqual(['It is open.'])
    expect(await repository.git.git('log', '--format=%s', 'feature/auth-system')).toContain('Document it')
    // The grant ended with the last stage.
    const check = await baton.run(['check', 'git push origin feature/auth-system'], { env })
    expect(check.stdout).toMatch(/^ask/)
    github.assertClean()
    model.assertClean()
  })

  test('semi-auto mode pauses exactly before code research, each phase, documentation and the pull request', {
    timeout: 300_000,
  }, async () => {
    await using here = await claudeWorld({ settings: RULES })
    const { model, home, baton } = here
    await baton.must('work', 'new', 'Auth System', '--mode', 'semi-auto')
    // A person who types a command gets an agent that hands over, and does no work of its own.
    const meant: string[] = []
    model.script({ key: home.key }, request => {
      const messages = (request.body.messages ?? []) as { role: string; content: unknown }[]
      const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
      const told = JSON.stringify(since.map(({ content }) => content)).replaceAll('\\"', '"')
      const call_ = /call paw_call_agent with exactly (\{.*?\}) as your last action/.exec(told)?.[1]
      if (call_ === undefined) return undefined
      meant.push(call_)
      return call('mcp__baton__paw_call_agent', JSON.parse(call_))
    })
    const seen = play(model, home, { calls: () => undefined })
    await using terminal = await claudeInTmux({
      home,
      model,
      permissionMode: 'bypassPermissions',
      args: mcpConfig(home),
    })
    const paused = async (times: number) => {
      await until(
        async () => (await stagesOf(baton)).filter(({ what }) => what === 'paused').length === times,
        {
          what: `pause number ${times}`,
          timeout: 120_000,
          evidence: async () =>
            `${seen.join('\n')}\n${await baton.must('logs', '--kind', 'stage')}\n${await terminal.screen()}`,
        },
      )
      await terminal.waitUntilReady()
    }
    await terminal.submitLines([
      'Work ID: auth-system',
      '',
      'You are PAW-01A Specification. Call paw_get_context with this Work ID first.',
    ])
    await paused(1)
    expect(seen).toEqual(EVERYTHING.slice(0, 3))
    await terminal.submit('code')
    await paused(2)
    expect(seen).toEqual(EVERYTHING.slice(0, 5))
    await terminal.submit('implement Phase 1 but keep it small')
    await paused(3)
    expect(seen).toEqual(EVERYTHING.slice(0, 7))
    await terminal.submit('continue')
    await paused(4)
    expect(seen).toEqual(EVERYTHING.slice(0, 9))
    await terminal.submit('docs')
    await paused(5)
    expect(seen).toEqual(EVERYTHING.slice(0, 10))
    await terminal.submit('final pr')
    await until(async () => seen.at(-1) === 'PAW-05 PR', { what: 'the last stage', timeout: 120_000 })
    await baton.waitFor('stage', ({ what, stage }) => what === 'ended' && stage === 'pr')
    expect(seen).toEqual(EVERYTHING)
    expect(
      (await stagesOf(baton)).filter(({ what }) => what === 'paused').map(({ detail }) => detail),
    ).toEqual([
      'before code',
      'before implement Phase 1',
      'before implement Phase 2',
      'before docs',
      'before pr',
    ])
    const work_id = 'auth-system'
    expect(meant.map(each => JSON.parse(each))).toEqual([
      { target_agent: 'PAW-02A Code Researcher', work_id },
      { target_agent: 'PAW-03A Implementer', work_id, inline_instruction: 'Phase 1: keep it small' },
      { target_agent: 'PAW-03A Implementer', work_id, inline_instruction: 'Phase 2' },
      { target_agent: 'PAW-04 Documenter', work_id },
      { target_agent: 'PAW-05 PR', work_id },
    ])
    const began = model
      .mainRequests({ key: home.key })
      .map(textOf)
      .find(text => text.includes('implement Phase 1. Call paw_get_context'))
    expect(began).toContain('keep it small')
    model.assertClean()
  })

  test('the tools answer a headless session as the command answers a person', {
    timeout: 240_000,
  }, async () => {
    await using here = await claudeWorld({ settings: RULES })
    const { model, home, baton } = here
    await baton.must('work', 'new', 'Auth System')
    model.script({ key: home.key }, [
      call('mcp__baton__baton_status', {}),
      call('mcp__baton__paw_generate_prompt', {
        work_id: 'auth-system',
        template_key: '03A-implement',
        filename: '03A-implement-phase3.prompt.md',
        additional_content: 'Phase: 3',
      }),
      call('mcp__baton__paw_call_agent', { target_agent: 'PAW-02B Impl Planner', work_id: 'auth-system' }),
      say('It cannot start yet.'),
    ])
    const ran = await runClaude({
      home,
      model,
      prompt: 'where does the work stand?',
      args: ['--permission-mode', 'bypassPermissions', ...mcpConfig(home)],
    })
    expect(ran.isError).toBe(false)
    const results = model.mainRequests({ key: home.key }).map(({ lastText }) => lastText)
    expect(results[1]).toContain('Auth System (auth-system)')
    const shown = (await baton.must('work', 'show')).replace('2 uncommitted', '1 uncommitted')
    expect(results[1]?.trimEnd()).toBe(shown.trimEnd())
    expect(results[2]).toContain('.paw/work/auth-system/prompts/03A-implement-phase3.prompt.md')
    expect(results[3]).toContain(
      'PAW-02B Impl Planner cannot start: Spec.md is missing; CodeResearch.md is missing',
    )
    expect(readFileSync(join(home.project, WORK, 'prompts/03A-implement-phase3.prompt.md'), 'utf8')).toBe(
      '---\nagent: PAW-03A Implementer\n---\n\nImplement the next phase of the implementation plan.\n\nWork ID: auth-system\n\nPhase: 3\n',
    )
    model.assertClean()
  })

  test('`baton work run` begins a stage in tmux with the plugin’s tools, and it continues there', {
    timeout: 360_000,
  }, async () => {
    await using here = await claudeWorld({ settings: RULES.replace('mcp: baton', 'mcp: plugin_baton_baton') })
    const { model, home, baton } = here
    await baton.must('work', 'new', 'Auth System', '--mode', 'semi-auto')
    const seen = play(model, home, {
      server: 'plugin_baton_baton',
      calls: agent => (agent === 'PAW-01B Spec Researcher' ? 'PAW-01A Specification' : undefined),
    })
    const claude = dirname(await installAgent('claude-code'))
    const sockets = scratch('bx-')
    const env = {
      ...home.env(model),
      PATH: `${claude}:${process.env.PATH}`,
      TMUX_TMPDIR: sockets.path,
    }
    try {
      const ran = await baton.run(['work', 'run', 'auth-system'], { env })
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      expect(ran.stdout).toMatch(/^PAW-01A Specification begins as baton-auth-system-\w+\./)
      await baton
        .waitFor('stage', ({ what }) => what === 'paused')
        .catch(async cause => {
          throw new Error(
            `${cause}\n${seen}\n${await baton.must('logs', '--lines', '40')}\n${model.summary()}`,
          )
        })
      expect(seen).toEqual(EVERYTHING.slice(0, 3))
      expect((await baton.must('ps')).match(/baton-auth-system-/g)).toHaveLength(1)
    } finally {
      const socket = join(sockets.path, `tmux-${process.getuid?.()}`, 'default')
      spawnSync('tmux', ['-S', socket, 'kill-server'])
      sockets.remove()
    }
    model.assertClean()
  })
})

const SPEC = (mark: string) =>
  `printf '# Spec\\n\\n## Research Questions\\n- [${mark}] How are tokens stored?\\n' > ${WORK}/Spec.md`

// Codex in every run of CI; Claude Code, too, with BATON_LONG=1.
const HOSTED = process.env.BATON_LONG ? [claudeCode, codex] : [codex]

describe.each(HOSTED)('staged work, hosted, with the real $name', agent => {
  test('auto mode goes from stage to stage without a terminal, each in a fresh conversation with the tools of its stage', {
    timeout: 480_000,
  }, async () => {
    await using model = await startModel([...new Set([anthropic, agent.dialect])])
    await using home = claudeHome()
    await home.git()
    const place = { home: home.path, project: home.project, key: home.key, url: model.url }
    if (agent !== claudeCode) agent.setUp(place)
    await using baton = batonIn(home.path, home.project)
    baton.configure('permission:\n  preset: trusting\n')
    await baton.must('work', 'new', 'Auth System', '--mode', 'auto')
    const seen: string[] = []
    const shell = agent.hostedShell ?? agent.shell
    const works: Record<string, () => string> = {
      'PAW-01A Specification': () =>
        SPEC(existsSync(join(home.project, WORK, 'SpecResearch.md')) ? 'x' : ' '),
      'PAW-01B Spec Researcher': () => `echo Answers > ${WORK}/SpecResearch.md`,
      'PAW-02A Code Researcher': () => `echo Code > ${WORK}/CodeResearch.md`,
    }
    let offered = false
    model.script({ key: home.key }, request => {
      const { agent } = stageOf(request)
      const work = works[agent]
      // A server of tools may come up after the first request, and its tools may be named before they are offered.
      offered ||=
        JSON.stringify(request.body.tools ?? []).includes('paw_get_context') ||
        JSON.stringify(request.body).includes('baton__paw_get_context')
      if (!work || request.toolResults.length > 0) return say(`${agent} is finished.`)
      seen.push(agent)
      return shell(work())
    })
    const env = {
      ...home.env(model),
      ...(agent === claudeCode ? {} : agent.env(place)),
      ...(await hostable(agent.name)),
    }
    const ran = await baton.run(['work', 'run', 'auth-system', '--agent', agent.name, '--hosted'], { env })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('PAW-01A Specification begins as') })
    await until(() => existsSync(join(home.project, WORK, 'CodeResearch.md')), {
      what: 'the fourth stage',
      timeout: 240_000,
      evidence: async () => `${seen.join('\n')}\n${await baton.must('logs')}\n${model.summary()}`,
    })
    expect(seen.slice(0, 4)).toEqual(EVERYTHING.slice(0, 4))
    await until(() => offered, { what: 'the tools of a stage', timeout: 120_000, evidence: model.summary })
    const { sessions } = JSON.parse(await baton.must('ps', '--json'))
    expect(sessions).toMatchObject([{ agent: agent.name, place: expect.stringMatching(/^hosted /) }])
    const began = (await baton.events()).filter(({ type }) => type === 'SessionStarted')
    expect(new Set(began.map(({ nativeSession }) => nativeSession)).size).toBeGreaterThanOrEqual(4)
  })
})
