/**
 * Records the hook payloads of the pinned Claude Code into test/fixtures/claude-code, byte for byte but for paths.
 * Run by hand after the pinned version moves: `node packages/baton/test/world/agents/record-claude.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModel } from '../model.ts'
import { call, hold, overloaded, rateLimited, say } from '../turn.ts'
import { until } from '../wait.ts'
import { type ClaudeHome, claudeHome } from './claude.ts'
import { runClaude } from './claude-headless.ts'
import { claudeEvents, type HookPayload, recordHooks } from './claude-hooks.ts'
import { claudeInTmux } from './claude-tmux.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/claude-code')
mkdirSync(fixtures, { recursive: true })

const subagent = {
  description: 'Look',
  prompt: 'Look around in the subagent',
  subagent_type: 'general-purpose',
}

await recordTurn()
await recordBackground()
await recordFailure('rate-limit', rateLimited())
await recordFailure('overloaded', overloaded())
await recordHeadless('bypassPermissions', 'echo hello', {
  'pre-tool-use.bypass': 'PreToolUse',
  'stop.bypass': 'Stop',
})
await recordHeadless('default', 'touch made.txt', { 'permission-request.bash': 'PermissionRequest' })
await recordHeadless('auto', 'curl -s http://127.0.0.1:1/ | sh', { 'permission-denied': 'PermissionDenied' })
await recordQuestions()
await recordTeam()

/** A teammate that has nothing left to do. */
async function recordTeam(): Promise<void> {
  await using model = await startModel()
  await using home = claudeHome({ env: { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } })
  const hooks = recordHooks(home, { events: claudeEvents })
  model.script({ key: home.key }, [
    call('Agent', { ...subagent, name: 'helper' }),
    say('Done.', { times: Number.POSITIVE_INFINITY }),
  ])
  await using claude = await claudeInTmux({ home, model, settings: hooks.settings })
  await claude.submit('work as a team')
  await hooks.waitFor('TeammateIdle')
  keeper(home, hooks.raw())('teammate-idle', 'TeammateIdle')
}

/** What the agent itself asks: questions, a plan and a tool server's form; and what it schedules. */
async function recordQuestions(): Promise<void> {
  await using model = await startModel()
  await using home = claudeHome()
  const allow = (hookEventName: string, decision: object) => ({
    hookSpecificOutput: { hookEventName, ...decision },
  })
  const hooks = recordHooks(home, {
    events: claudeEvents,
    answers: {
      PermissionRequest: allow('PermissionRequest', { decision: { behavior: 'deny', message: 'Not now' } }),
      Elicitation: allow('Elicitation', { action: 'decline' }),
    },
  })
  const mcp = join(home.path, 'mcp.json')
  const forms = { command: process.execPath, args: [join(import.meta.dirname, 'mcp-form.mjs')] }
  writeFileSync(mcp, JSON.stringify({ mcpServers: { forms } }))
  const questions = [
    {
      question: 'Which database?',
      header: 'Database',
      multiSelect: false,
      options: [
        { label: 'Postgres (Recommended)', description: 'Shared by several machines' },
        { label: 'SQLite', description: 'One file' },
      ],
    },
  ]
  const held = hold()
  model.script({ key: home.key }, [
    call('AskUserQuestion', { questions }),
    call('mcp__forms__sign_up', { list: 'news' }),
    call('CronCreate', { cron: '*/5 * * * *', prompt: 'look again', recurring: true }),
    call('TaskCreate', { subject: 'Write it', description: 'All of it' }),
    call('TaskUpdate', { taskId: '1', status: 'completed' }),
    say('Asked.', { gate: held.gate }),
  ])
  const args = [
    '--mcp-config',
    mcp,
    '--allowedTools',
    'mcp__forms__sign_up',
    'CronCreate',
    'TaskCreate',
    'TaskUpdate',
  ]
  await using claude = await claudeInTmux({ home, model, settings: hooks.settings, args })
  await claude.submit('ask me')
  await until(() => model.requests.length > 5, { what: 'the last request', timeout: 120_000 }).catch(
    () => undefined,
  )
  home.writeSettings('user', { env: { CHANGED: '1' } })
  await hooks.waitFor('ConfigChange').catch(() => undefined)
  held.release()
  await claude.waitForScreen(/Asked\./, { timeout: 120_000 })
  await hooks.waitFor('Stop')
  const keep = keeper(home, hooks.raw())
  keep('permission-request.question', 'PermissionRequest')
  keep('elicitation', 'Elicitation')
  keep('config-change', 'ConfigChange')
  keep('task-completed', 'TaskCompleted')
  keep('stop.scheduled', 'Stop')
}

/** One long interactive turn through every kind of tool, then idling, compaction, /clear, /exit and resume. */
async function recordTurn(): Promise<void> {
  await using model = await startModel()
  // Interactive sessions run subagents in the background whatever the call says, unless told so by the environment.
  const env = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' }
  await using home = claudeHome({ config: { messageIdleNotifThresholdMs: 4_000 }, env })
  const hooks = recordHooks(home, { events: claudeEvents })
  const status = recordHooks(home, { events: ['StatusLine'] })
  const readme = join(home.project, 'readme.txt')
  const file = join(home.project, 'notes.txt')
  writeFileSync(readme, 'Read me.\n')
  mkdirSync(join(home.project, '.claude/commands'), { recursive: true })
  writeFileSync(join(home.project, '.claude/commands/greet.md'), 'Greet number $ARGUMENTS.\n')
  const mcp = join(home.path, 'mcp.json')
  const notes = { command: process.execPath, args: [join(import.meta.dirname, 'mcp-notes.mjs')] }
  writeFileSync(mcp, JSON.stringify({ mcpServers: { notes } }))

  model.script('in the subagent', [
    call('Bash', { command: 'echo from the subagent' }),
    say('Subagent done.'),
  ])
  model.script({ key: home.key }, [
    call('Bash', { command: 'echo hello', description: 'Say hello' }),
    call('Bash', { command: 'false' }),
    call('Read', { file_path: readme }),
    call('Write', { file_path: file, content: 'one\n' }),
    call('Edit', { file_path: file, old_string: 'one', new_string: 'two' }),
    call('mcp__notes__add_note', { text: 'a note' }),
    call('Agent', subagent),
    say('All done.', { usage: { input: 1_200, output: 34, cacheRead: 150_000, cacheWrite: 2_500 } }),
    say('Greeted.'),
    say('Resumed.'),
  ])
  const [statusHook] = status.settings.hooks.StatusLine ?? []
  const settings = { ...hooks.settings, statusLine: statusHook?.hooks[0] }
  const allowed = ['--allowedTools', 'Bash(echo *)', 'Bash(false)', 'mcp__notes__add_note']
  const args = ['--mcp-config', mcp, ...allowed]
  await using claude = await claudeInTmux({ home, model, settings, args, rows: 60 })

  await claude.submit('do everything once')
  await claude.answerDialog(/Do you want to create/, '1')
  await claude.waitForScreen(/Do you want to make this edit/)
  // Sent only when the dialog has been left alone for a while.
  await hooks.waitFor('Notification', payload => payload.notification_type === 'permission_prompt')
  await claude.answerDialog(/Do you want to make this edit/, '1')
  await claude.waitForScreen(/All done\./, { timeout: 120_000 })
  await hooks.waitFor('Notification', payload => payload.notification_type === 'idle_prompt')
  await claude.submit('/greet 42')
  await claude.waitForScreen(/Greeted\./)
  await claude.submit('/compact')
  await hooks.waitFor('SessionStart', payload => payload.source === 'compact')
  await claude.submit('/clear')
  const { session_id } = await hooks.waitFor('SessionStart', payload => payload.source === 'clear')
  await claude.submit('/exit')
  await claude.waitForExit()
  const [first] = hooks.seen('SessionStart')
  await runClaude({
    home,
    model,
    prompt: 'go on',
    settings: hooks.settings,
    args: ['--resume', first?.session_id ?? session_id],
  })
  model.assertPlayed()

  const keep = keeper(home, hooks.raw())
  for (const source of ['startup', 'compact', 'clear', 'resume']) {
    keep(`session-start.${source}`, 'SessionStart', payload => payload.source === source)
  }
  keep('user-prompt-submit', 'UserPromptSubmit')
  keep('user-prompt-submit.command', 'UserPromptSubmit', payload => payload.prompt === '/greet 42')
  keep('user-prompt-expansion', 'UserPromptExpansion')
  for (const [name, tool] of [
    ['bash', 'Bash'],
    ['read', 'Read'],
    ['write', 'Write'],
    ['edit', 'Edit'],
    ['mcp', 'mcp__notes__add_note'],
    ['agent', 'Agent'],
  ]) {
    const same = (payload: HookPayload) => payload.tool_name === tool
    keep(`pre-tool-use.${name}`, 'PreToolUse', same)
    keep(`post-tool-use.${name}`, 'PostToolUse', same)
  }
  const inSubagent = (payload: HookPayload) => typeof payload.agent_id === 'string'
  // Compaction runs as a nameless subagent that ends without having begun.
  keep('subagent-stop.compaction', 'SubagentStop', payload => payload.agent_type === '')
  keep('pre-tool-use.subagent', 'PreToolUse', inSubagent)
  keep('post-tool-use.subagent', 'PostToolUse', inSubagent)
  keep('post-tool-use-failure', 'PostToolUseFailure')
  keep('permission-request.write', 'PermissionRequest', payload => payload.tool_name === 'Write')
  keep('permission-request.edit', 'PermissionRequest', payload => payload.tool_name === 'Edit')
  for (const type of ['permission_prompt', 'idle_prompt']) {
    keep(
      `notification.${type.replace('_', '-')}`,
      'Notification',
      payload => payload.notification_type === type,
    )
  }
  keep('subagent-start', 'SubagentStart')
  keep('subagent-stop', 'SubagentStop')
  keep('stop', 'Stop')
  keep('pre-compact', 'PreCompact')
  keep('post-compact', 'PostCompact')
  for (const reason of ['clear', 'prompt_input_exit', 'other']) {
    keep(`session-end.${reason.replaceAll('_', '-')}`, 'SessionEnd', payload => payload.reason === reason)
  }
  const statuses = status.raw()
  const measured = (text: string) => JSON.parse(text).context_window?.current_usage?.cache_read_input_tokens
  write(home, 'status-line.before-first-reply', await until(() => statuses[0], { what: 'a status line' }))
  write(
    home,
    'status-line',
    await until(() => statuses.findLast(measured), { what: 'a measured status line' }),
  )
}

/** A subagent that still works when the main turn ends: Stop names it among its background tasks. */
async function recordBackground(): Promise<void> {
  await using model = await startModel()
  await using home = claudeHome()
  const hooks = recordHooks(home, { events: claudeEvents })
  const held = hold()
  model.script('in the subagent', [say('Subagent done.', { gate: held.gate })])
  model.script({ key: home.key }, [call('Agent', subagent), say('Meanwhile.'), say('Heard of it.')])
  await using claude = await claudeInTmux({ home, model, settings: hooks.settings })

  await claude.submit('look in the background')
  await hooks.waitFor('Stop')
  held.release()
  await claude.waitForScreen(/Heard of it\./)
  await hooks.waitFor('Stop', payload => payload.last_assistant_message === 'Heard of it.')
  model.assertPlayed()

  const keep = keeper(home, hooks.raw())
  keep('stop.background-task', 'Stop')
  keep('subagent-stop.background-task', 'SubagentStop')
  keep('user-prompt-submit.task-notification', 'UserPromptSubmit', payload =>
    String(payload.prompt).startsWith('<task-notification>'),
  )
  keep('post-tool-use.agent-background', 'PostToolUse')
  keep('stop.after-background-task', 'Stop', payload => payload.last_assistant_message === 'Heard of it.')
}

async function recordFailure(name: string, turn: ReturnType<typeof say>): Promise<void> {
  await using model = await startModel()
  await using home = claudeHome({ env: { CLAUDE_CODE_MAX_RETRIES: '0' } })
  const hooks = recordHooks(home, { events: ['StopFailure'] })
  model.script({ key: home.key }, [turn])
  await runClaude({ home, model, prompt: 'try', settings: hooks.settings })
  keeper(home, hooks.raw())(`stop-failure.${name}`, 'StopFailure')
}

async function recordHeadless(mode: string, command: string, wanted: Record<string, string>): Promise<void> {
  await using model = await startModel()
  await using home = claudeHome()
  const hooks = recordHooks(home, { events: claudeEvents })
  model.script({ key: home.key }, [call('Bash', { command }), say('Done.')])
  await runClaude({ home, model, prompt: 'try', settings: hooks.settings, args: ['--permission-mode', mode] })
  const keep = keeper(home, hooks.raw())
  for (const [name, event] of Object.entries(wanted)) keep(name, event)
}

function keeper(home: ClaudeHome, raws: string[]) {
  return (name: string, event: string, fits: (payload: HookPayload) => boolean = () => true) => {
    const found = raws.find(raw => {
      const payload: HookPayload = JSON.parse(raw)
      return payload.hook_event_name === event && fits(payload)
    })
    if (found === undefined) console.error(`not seen: ${name}`)
    else write(home, name, found)
  }
}

function write(home: ClaudeHome, name: string, raw: string): void {
  const slug = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, '-')
  const text = raw
    .replaceAll(home.project, '/home/dev/project')
    .replaceAll(slug(home.project), '-home-dev-project')
    .replaceAll(home.path, '/home/dev')
    .replaceAll(home.tmp, '/tmp')
  writeFileSync(join(fixtures, `${name}.json`), text)
  console.log(name)
}
