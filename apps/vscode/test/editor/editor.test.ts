import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TOOLS } from '../../../../packages/baton/src/work/packs/paw/tools.ts'
import { runClaude } from '../../../../packages/baton/test/world/agents/claude-headless.ts'
import { type Model, startModel, textOf } from '../../../../packages/baton/test/world/model.ts'
import { loginLink } from '../../../../packages/baton/test/world/person.ts'
import { plainGit } from '../../../../packages/baton/test/world/scratch.ts'
import { call, say } from '../../../../packages/baton/test/world/turn.ts'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { type EditorWorld, editorWorld } from './world.ts'

const RULES =
  'handsoff:\n  auto_permission: false\npermissions:\n  ask:\n    - program: date\n      reason: the time is a secret\n'

describe('in real VS Code', () => {
  let world: EditorWorld
  let model: Model
  beforeAll(async () => {
    model = await startModel()
    world = await editorWorld({ yaml: RULES, prepare: twoWorkItems })
    // On its first start VS Code needs a moment to read the agents of extensions; later it knows them.
    await until(
      async () => {
        await world.companion.command('workbench.action.chat.open', { mode: 'PAW-X Status' })
        return (await world.window.chatAgent()).includes('PAW-X Status')
      },
      { what: 'the stage agents', timeout: 120_000, every: 200, evidence: () => world.window.chatAgent() },
    )
    await world.companion.command('workbench.action.chat.newChat')
  }, 180_000)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  /** Waits until the chat has this agent and these words in its input. */
  const chatHolds = async (agent: string, ...words: string[]) => {
    const { window } = world
    await until(
      async () => {
        const [chosen, input] = [await window.chatAgent(), await window.chatInput()]
        return chosen.includes(agent) && words.every(word => input.includes(word))
      },
      {
        what: `the chat with ${agent}`,
        evidence: async () => `${await window.chatAgent()}\n${await window.chatInput()}`,
      },
    )
  }

  const heard = () => {
    const last = model.mainRequests({ key: world.home.key }).at(-1)
    return last ? textOf(last) : ''
  }

  test('PAW: Get Work Status lists work items by recency and says what `baton status` says', async () => {
    const { window, baton, home } = world
    await window.run('PAW: Get Work Status')
    // Until then, the palette may still show its own rows.
    const rows = await until(
      async () => {
        const rows = await window.rows()
        return rows.some(row => row.startsWith('Payment Page')) && rows
      },
      { what: 'the work items', evidence: async () => (await window.rows()).join('\n') },
    )
    await window.picture('work-status-picker')
    expect(rows.map(row => row.split(',')[0])).toEqual([
      expect.stringContaining('Auto-detect from context'),
      'Payment Page',
      'Auth System',
    ])
    await window.choose('auth-system')
    await until(async () => (await window.editorText()).includes('Auth System (auth-system)'), {
      what: 'the status page',
      evidence: () => window.editorText(),
    })
    const { stdout } = await baton.run(['work', 'show', 'auth-system'], { cwd: home.project })
    // Wrapped to the window, and else the same.
    await until(async () => squeezed(await window.editorText()) === squeezed(stdout), {
      what: 'the whole of it',
      evidence: async () => `${await window.editorText()}\n---\n${stdout}`,
    })
    // The Status agent waits with the Work ID; without a model nothing is sent for the person.
    await chatHolds('PAW-X Status', 'Work ID: auth-system')
    await window.picture('work-status')
  })

  test('Auto-detect from context finds the work item of the branch', async () => {
    const { window } = world
    await window.run('PAW: Get Work Status')
    await window.choose('Auto-detect from context')
    await until(async () => (await window.editorText()).includes('Payment Page (payment-page)'), {
      what: 'the status page',
      evidence: () => window.editorText(),
    })
    await chatHolds('PAW-X Status', 'Work ID: payment-page')
  })

  test('PAW: New PAW Workflow refuses auto with pull requests, then begins the work item', async () => {
    const { window, home } = world
    await window.run('PAW: New PAW Workflow')
    await window.enter('What do you want to build?', 'Rate Limits')
    await window.enter('Work ID', 'rate-limits')
    await window.choose('Full')
    await window.choose('PRs')
    await window.choose('Full automation')
    await window.notification('Auto mode requires local review strategy').waitFor()
    await window.picture('new-workflow-refused')
    await window.choose('Semi-Auto')
    await window.enter('Target branch', 'feature/rate-limits')
    await window.enter('Issue', 'https://github.com/example/repo/issues/42')
    const file = join(home.project, '.paw/work/rate-limits/WorkflowContext.md')
    await until(() => existsSync(file), { what: 'WorkflowContext.md', timeout: 120_000 })
    const context = readFileSync(file, 'utf8')
    for (const line of [
      'Work Title: Rate Limits',
      'Work ID: rate-limits',
      'Target Branch: feature/rate-limits',
      'Workflow Mode: full',
      'Review Strategy: prs',
      'Handoff Mode: semi-auto',
      'Issue URL: https://github.com/example/repo/issues/42',
    ])
      expect(context).toContain(line)
    await window.notification('rate-limits is ready').getByText('Start with PAW-01A Specification').click()
    await chatHolds('PAW-01A Specification', 'Work ID: rate-limits')
  })

  test('the tools are offered to models with the parameters that the daemon takes', async () => {
    const offered = await world.companion.tools()
    for (const { name, description } of TOOLS)
      expect(offered.find(tool => tool.name === name)?.description, name).toBe(description)
    expect(offered.find(({ name }) => name === 'paw_call_agent')?.inputSchema).toMatchObject({
      required: ['target_agent', 'work_id'],
    })
  })

  test('a tool that reads is run by lm.invokeTool without a question', async () => {
    const { companion } = world
    const [context] = await companion.invokeTool('paw_get_context', { work_id: 'auth-system' })
    expect(context).toContain('Work Title: Auth System')
    expect(context?.trimEnd().endsWith('</handoff_instructions>')).toBe(true)
    const [status] = await companion.invokeTool('baton_status', { work_id: 'auth-system' })
    expect(status).toContain('Auth System (auth-system)')
  })

  test('a tool that writes is run after the person confirmed what it says', async () => {
    const { companion, window, home } = world
    const running = companion.invokeTool('paw_generate_prompt', {
      work_id: 'auth-system',
      template_key: '03A-implement',
      filename: '03A-implement-phase3.prompt.md',
      additional_content: 'Mind the rate limits.',
    })
    await window.dialog().filter({ hasText: '03A-implement-phase3.prompt.md' }).waitFor()
    await window.picture('tool-confirmation')
    await window.dialog().getByText('Yes', { exact: true }).click()
    const [path] = await running
    const file = join(home.project, '.paw/work/auth-system/prompts/03A-implement-phase3.prompt.md')
    expect(path).toContain('03A-implement-phase3.prompt.md')
    expect(readFileSync(file, 'utf8')).toContain('Mind the rate limits.')
  })

  test('paw_call_agent opens the agent in a new chat, with Work ID and instruction, and says nothing', async () => {
    const { companion, window } = world
    const running = companion.invokeTool('paw_call_agent', {
      target_agent: 'PAW-02A Code Researcher',
      work_id: 'auth-system',
      inline_instruction: 'skip external dependencies',
    })
    await window.dialog().filter({ hasText: 'PAW-02A Code Researcher' }).waitFor()
    await window.dialog().getByText('Yes', { exact: true }).click()
    expect(await running).toEqual([''])
    await chatHolds('PAW-02A Code Researcher', 'Work ID: auth-system', 'skip external dependencies')
    await window.picture('call-agent')
  })

  test('a tool that cannot run tells the model what to do', async () => {
    const failing = world.companion.invokeTool('paw_get_context', { work_id: 'No Such' })
    await expect(failing).rejects.toThrow(/Invalid Work ID format.*lowercase/s)
    await expect(world.companion.invokeTool('paw_get_context', { work_id: 'nothing-here' })).rejects.toThrow(
      /nothing-here/,
    )
  })

  test('a person lets this editor answer by a link from a terminal', async () => {
    const { window, baton } = world
    await window.run('Baton: Let This Editor Answer')
    await window.enter('Let this editor answer', await loginLink(baton))
    await window.notification('This editor can now answer').waitFor()
    await window.picture('let-editor-answer')
  }, 60_000)

  test('an ask is answered from its notification while the real Claude Code waits', async () => {
    const { home, baton, window } = world
    model.script({ key: home.key }, [call('Bash', { command: 'date +asked-%Y' }), say('done')])
    const running = runClaude({ home, model, prompt: 'what time is it' })
    const toast = window.notification('date +asked-%Y')
    await toast.waitFor({ timeout: 120_000 })
    await until(async () => /Baton.*1/.test(await window.statusBar()), {
      what: 'the question in the status bar',
      evidence: () => window.statusBar(),
    })
    await window.picture('ask-notification')
    await toast.getByText('Allow once', { exact: true }).click()
    expect((await running).isError).toBe(false)
    expect(heard()).toMatch(/asked-20\d\d/)
    const { answer } = await baton.waitFor('ask', ({ what }) => what === 'answered')
    expect(answer).toMatchObject({ option: 'allow-once', by: { channel: 'vscode' } })
  }, 120_000)

  test('an ask too long for a line is answered after a look at the whole', async () => {
    const { home, window, baton } = world
    const long = `date +long-%Y-${'x'.repeat(400)}`
    model.script({ key: home.key }, [call('Bash', { command: long }), say('done')])
    const running = runClaude({ home, model, prompt: 'and now' })
    const toast = window.notification('date +long-')
    await toast.waitFor({ timeout: 120_000 })
    expect(await toast.getByText('Allow once', { exact: true }).count()).toBe(0)
    await toast.getByText('Show All…', { exact: true }).click()
    await window.choose('Deny and say why…')
    await window.enter('Why not?', 'use the calendar')
    await running
    expect(heard()).toContain('use the calendar')
    const { answer } = await baton.waitFor(
      'ask',
      ({ what, answer }) => what === 'answered' && answer?.option === 'deny-with-reason',
    )
    expect(answer?.reason).toBe('use the calendar')
  }, 120_000)

  test('the view lists questions, work items and sessions', async () => {
    const { window } = world
    await window.run('Baton: Show Open Questions')
    await until(async () => (await window.view('Work Items')).some(row => row.includes('Rate Limits')), {
      what: 'the work items in the view',
      evidence: async () => (await window.view('Work Items')).join('\n'),
    })
    await window.picture('view')
  })

  test('the status bar shows how full the context of the session here is', async () => {
    const { baton, window, home } = world
    const session = { session_id: '11111111-2222-4333-8444-555555555555', cwd: home.project }
    const hook = (event: string, more: Record<string, unknown>) =>
      baton.run(['hook', 'claude-code', event], {
        cwd: home.project,
        input: JSON.stringify({ ...session, hook_event_name: event, ...more }),
      })
    await hook('SessionStart', { source: 'startup' })
    await hook('StatusLine', {
      context_window: {
        context_window_size: 200_000,
        used_percentage: 62,
        current_usage: { input_tokens: 124_000 },
      },
    })
    await until(async () => (await window.statusBar()).includes('62 %'), {
      what: 'the context in the status bar',
      evidence: () => window.statusBar(),
    })
    await until(async () => (await window.statusLabel()).includes('Fullest context: claude-code, 62 %'), {
      what: 'whose context that is',
      evidence: () => window.statusLabel(),
    })
    await until(async () => (await window.view('Sessions')).join().includes('claude-code in project, 62 %'), {
      what: 'the session in the view',
      evidence: async () => (await window.view('Sessions')).join('\n'),
    })
    await window.picture('context')
    // A session that no driver reaches cannot be handed off; the message says what to do instead.
    const { sessions } = JSON.parse(await baton.must('status', '--json'))
    const asked = world.companion.command('baton.handOff', { id: sessions[0].id })
    await window.dialog().getByText('Hand off', { exact: true }).click()
    await window.notification('cannot type into session').waitFor()
    await asked
  })

  test('a daemon that goes away and comes back is noticed', async () => {
    const { baton, window } = world
    await baton.must('down')
    await until(async () => (await window.statusLabel()).includes('No Baton daemon'), {
      what: 'the status bar to say so',
      timeout: 120_000,
      evidence: () => window.statusLabel(),
    })
    await baton.must('up')
    await until(async () => (await window.statusLabel()).includes('live session'), {
      what: 'the status bar to recover',
      timeout: 120_000,
      evidence: () => window.statusLabel(),
    })
  })
})

const gitEnv = { ...process.env, ...plainGit }
const squeezed = (text: string): string => text.replaceAll(/\s+/g, '')

/** In a repository on the branch of the second. */
function twoWorkItems(project: string): void {
  execFileSync('git', ['init', '-q', '-b', 'feature/payment-page'], { cwd: project, env: gitEnv })
  const hour = 3600
  for (const [id, title, age] of [
    ['auth-system', 'Auth System', 5 * hour],
    ['payment-page', 'Payment Page', hour],
  ] as const) {
    const folder = join(project, '.paw', 'work', id)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'WorkflowContext.md')
    writeFileSync(
      file,
      `# WorkflowContext\n\nWork Title: ${title}\nWork ID: ${id}\nTarget Branch: feature/${id}\nWorkflow Mode: full\nReview Strategy: local\nHandoff Mode: manual\nIssue URL: none\nRemote: origin\n`,
    )
    writeFileSync(join(folder, 'Spec.md'), `# ${title}\n`)
    const then = performance.timeOrigin / 1000 - age
    for (const name of ['WorkflowContext.md', 'Spec.md']) utimesSync(join(folder, name), then, then)
  }
}
