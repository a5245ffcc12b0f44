import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { agent as claude } from '../../../adapters/agents/claude-code/agent.ts'
import { systemClock } from '../../../adapters/system/clock.ts'
import { onPath } from '../../../adapters/system/on-path.ts'
import { branchIn, replyTo } from './answers.ts'
import { type Answer, Hooks } from './hooks.ts'
import { keyboard } from './keyboard.ts'
import { Screen } from './screen.ts'
import { type Outcome, STEPS } from './script.ts'

const WINDOW = 200_000
/** What a person said who refused a command; the next session knows it, too. */
const REFUSAL = 'tour-refusal'

/**
 * An agent without a model: it follows a script. Everything else is as with Claude Code: the hooks of the settings in HOME
 * run at each step and are obeyed, a transcript is written, and text typed into its terminal is a prompt.
 */
export async function scriptedAgent(options: {
  home: string
  cwd: string
  /** How long a person may look at each step. */
  paceMs: number
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
}): Promise<never> {
  const { home, cwd, paceMs } = options
  const hooks = new Hooks(home)
  const screen = new Screen(options.output)
  const prompts: string[] = []
  let wake: () => void = () => {}
  let session = crypto.randomUUID()
  let transcript = new Transcript(home, cwd, session)
  let tokens = 9_000
  let calls = 0
  let step = stepReached()

  const payload = () => ({
    session_id: session,
    transcript_path: transcript.path,
    cwd,
    permission_mode: 'default',
  })

  keyboard(options.input, options.output, {
    typed: text => screen.typed(text),
    submitted(text) {
      prompts.push(text)
      wake()
    },
  })
  await begin('startup')
  for (;;) {
    const prompt = prompts.shift()
    if (prompt === undefined) {
      await new Promise<void>(resolve => {
        wake = resolve
      })
      continue
    }
    if (prompt.trim() === '/clear') await clear()
    else await converse(prompt)
  }

  async function begin(source: 'startup' | 'clear'): Promise<void> {
    const { hookSpecificOutput } = await hooks.tell('SessionStart', { ...payload(), source })
    screen.say(`● Session ${session.slice(0, 8)} (scripted; no model, no network)`)
    if (hookSpecificOutput?.additionalContext)
      screen.say(`⎿ told at the start: ${hookSpecificOutput.additionalContext.split('\n', 1)[0]}`)
    await status()
  }

  async function clear(): Promise<void> {
    await hooks.tell('SessionEnd', { ...payload(), reason: 'clear' })
    session = crypto.randomUUID()
    transcript = new Transcript(home, cwd, session)
    tokens = 9_000
    screen.wipe()
    await begin('clear')
  }

  async function status(): Promise<void> {
    const context_window = {
      total_input_tokens: tokens,
      current_usage: { input_tokens: tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      context_window_size: WINDOW,
      used_percentage: Math.round((tokens / WINDOW) * 100),
    }
    const model = { id: 'claude-scripted', display_name: 'Scripted' }
    screen.status = (
      await hooks.statusLine({ ...payload(), model, context_window, workspace: { current_dir: cwd } })
    )
      .split('\n', 1)
      .join('')
    screen.draw()
  }

  async function converse(first: string): Promise<void> {
    screen.say(`❯ ${first}`)
    const heard = await hooks.tell('UserPromptSubmit', { ...payload(), prompt: first })
    if (heard.decision === 'block') return screen.say(`⎿ ${heard.reason ?? 'refused'}`)
    let prompt = first
    for (let active = false; ; active = true) {
      transcript.prompt(prompt)
      screen.working('Working')
      const last = await turn(prompt)
      screen.say(`● ${last}`)
      transcript.reply([{ type: 'text', text: last }], tokens)
      await status()
      await pause(paceMs)
      const stop = { ...payload(), stop_hook_active: active, last_assistant_message: last }
      const { decision, reason } = await hooks.tell('Stop', stop)
      screen.working('')
      if (decision !== 'block' || reason === undefined) return
      screen.say(`⎿ Baton: ${reason.split('\n', 1)[0]}`)
      prompt = reason
    }
  }

  async function turn(prompt: string): Promise<string> {
    const special = replyTo(prompt, { cwd, step, refusal: refusal() })
    if (special) {
      if (special.file) await write(special.file.path, special.file.text)
      return special.reply
    }
    const next = STEPS[step]
    if (!next) return finish()
    const last = await next({
      say(text) {
        screen.say(`● ${text}`)
        transcript.reply([{ type: 'text', text }], tokens)
      },
      run,
      write,
      branch: () => branchIn(cwd),
      grow(to) {
        tokens = to
      },
    })
    reached(++step)
    return step === STEPS.length ? finish() : last
  }

  /** The agent ends its own work, as Baton's words at the start of a claimed session say. */
  async function finish(): Promise<string> {
    await run("baton claim ready --summary 'Apply discount codes in the cart'")
    return 'Everything that issue 42 asks for is done, committed and handed off.'
  }

  async function run(command: string, pretend?: string): Promise<Outcome> {
    return await tool('Bash', { command }, async input => {
      if (pretend !== undefined) return { state: 'done', text: pretend }
      return await shell(String(input.command))
    })
  }

  async function write(path: string, text: string): Promise<Outcome> {
    const file_path = join(cwd, path)
    return await tool('Write', { file_path, content: text }, async () => {
      mkdirSync(dirname(file_path), { recursive: true })
      writeFileSync(file_path, text)
      return { state: 'done', text: `Wrote ${path}` }
    })
  }

  async function tool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    perform: (input: Readonly<Record<string, unknown>>) => Promise<Outcome>,
  ): Promise<Outcome> {
    const tool_use_id = `toolu_${session.slice(0, 8)}_${++calls}`
    const call = { ...payload(), tool_name: name, tool_input: input, tool_use_id }
    const shown = String(input.command ?? input.file_path)
    screen.say(`● ${name}(${shown})`)
    transcript.reply([{ type: 'tool_use', id: tool_use_id, name, input }], tokens)
    await pause(paceMs)
    const asked = (await hooks.tell('PreToolUse', call)).hookSpecificOutput
    // As in Claude Code, what a hook puts in the input's place is what is asked about and what runs.
    const performed = { ...call, tool_input: asked?.updatedInput ?? input }
    const refusal =
      asked?.permissionDecision === 'deny'
        ? (asked.permissionDecisionReason ?? 'refused')
        : asked?.permissionDecision === 'allow'
          ? undefined
          : await dialog(performed, shown)
    if (refusal !== undefined) {
      screen.say(`  ⎿ ${refusal}`)
      transcript.result(tool_use_id, refusal, true)
      return { state: 'refused', text: refusal }
    }
    const outcome = await perform(performed.tool_input)
    const [line = ''] = outcome.text.trim().split('\n').slice(-1)
    screen.say(`  ⎿ ${line || 'done'}`)
    transcript.result(tool_use_id, outcome.text, outcome.state === 'failed')
    const event = outcome.state === 'failed' ? 'PostToolUseFailure' : 'PostToolUse'
    const response = { stdout: outcome.text, stderr: '' }
    await hooks.tell(event, { ...performed, tool_response: response, error: outcome.text })
    return outcome
  }

  /** The dialog stays open until a person answers, through Baton. The reason of a no, or undefined for a yes. */
  async function dialog(call: Readonly<Record<string, unknown>>, shown: string): Promise<string | undefined> {
    screen.dialog([' Do you want to proceed?', ` ${shown}`, ' ❯ 1. Yes', '   2. No'])
    const answer: Answer = await hooks.tell('PermissionRequest', call)
    screen.dialog(undefined)
    const { behavior, message = 'no one said yes' } = answer.hookSpecificOutput?.decision ?? {}
    if (behavior === 'allow') return undefined
    writeFileSync(join(home, REFUSAL), message)
    return message
  }

  function shell(command: string): Promise<Outcome> {
    return new Promise(resolve => {
      // Claude Code tells its commands whose they are.
      const env = { ...process.env, CLAUDE_CODE_SESSION_ID: session }
      execFile(claudeShell(), ['-c', command], { cwd, env, timeout: 30_000 }, (error, stdout, stderr) => {
        resolve({ state: error ? 'failed' : 'done', text: `${stdout}${stderr}` })
      })
    })
  }

  /** Kept in a file, because the script continues where it was when the program is started again. */
  function stepReached(): number {
    try {
      return Number(readFileSync(join(home, 'tour-step'), 'utf8')) || 0
    } catch {
      return 0
    }
  }
  function refusal(): string | undefined {
    const file = join(home, REFUSAL)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n', 1)[0] : undefined
  }
  function reached(now: number): void {
    writeFileSync(join(home, 'tour-step'), String(now))
  }
}

/** The shell in which Claude Code would run its commands. */
function claudeShell(): string {
  const find = (name: string) => onPath(name, process.env)
  const name = claude.sandboxing?.shellOf(process.env, shell => find(shell) !== undefined)
  return (name && find(name)) ?? '/bin/sh'
}

/** The record of one conversation, in the rows that Claude Code writes. */
class Transcript {
  readonly path: string
  readonly #session: string
  readonly #cwd: string
  #rows = 0

  constructor(home: string, cwd: string, session: string) {
    this.path = join(home, '.claude', 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`)
    this.#session = session
    this.#cwd = cwd
    mkdirSync(dirname(this.path), { recursive: true })
  }

  prompt(text: string): void {
    this.#row({ type: 'user', message: { role: 'user', content: text } })
  }

  reply(content: readonly Record<string, unknown>[], contextTokens: number): void {
    const usage = {
      input_tokens: 400,
      cache_read_input_tokens: Math.max(0, contextTokens - 520),
      cache_creation_input_tokens: 0,
      output_tokens: 120,
    }
    const id = `msg_${this.#session.slice(0, 8)}_${this.#rows}`
    const message = { id, type: 'message', role: 'assistant', model: 'claude-scripted', content, usage }
    this.#row({ type: 'assistant', message })
  }

  result(id: string, text: string, failed: boolean): void {
    const block = { type: 'tool_result', tool_use_id: id, content: text, is_error: failed }
    this.#row({ type: 'user', message: { role: 'user', content: [block] } })
  }

  #row(row: Readonly<Record<string, unknown>>): void {
    this.#rows++
    const common = { sessionId: this.#session, cwd: this.#cwd, isSidechain: false, uuid: crypto.randomUUID() }
    appendFileSync(
      this.path,
      `${JSON.stringify({ ...common, timestamp: new Date(systemClock.now()).toISOString(), ...row })}\n`,
    )
  }
}
