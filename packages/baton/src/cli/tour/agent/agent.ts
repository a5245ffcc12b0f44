import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { branchIn, replyTo } from './answers.ts'
import { Conversation } from './conversation.ts'
import { Hooks } from './hooks.ts'
import { keyboard } from './keyboard.ts'
import { Screen } from './screen.ts'
import { STEPS } from './script.ts'
import { refusalIn, ToolCalls } from './tool-calls.ts'

const WINDOW = 200_000

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
  const conversation = new Conversation(home, cwd)
  const tools = new ToolCalls(conversation, hooks, screen, paceMs)
  let step = stepReached(home)

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
    const { hookSpecificOutput } = await hooks.tell('SessionStart', { ...conversation.payload(), source })
    screen.say(`● Session ${conversation.id.slice(0, 8)} (scripted; no model, no network)`)
    if (hookSpecificOutput?.additionalContext)
      screen.say(`⎿ told at the start: ${hookSpecificOutput.additionalContext.split('\n', 1)[0]}`)
    await status()
  }

  async function clear(): Promise<void> {
    await hooks.tell('SessionEnd', { ...conversation.payload(), reason: 'clear' })
    conversation.clear()
    screen.wipe()
    await begin('clear')
  }

  async function status(): Promise<void> {
    const { tokens } = conversation
    const context_window = {
      total_input_tokens: tokens,
      current_usage: { input_tokens: tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      context_window_size: WINDOW,
      used_percentage: Math.round((tokens / WINDOW) * 100),
    }
    const model = { id: 'claude-scripted', display_name: 'Scripted' }
    screen.status = (
      await hooks.statusLine({
        ...conversation.payload(),
        model,
        context_window,
        workspace: { current_dir: cwd },
      })
    )
      .split('\n', 1)
      .join('')
    screen.draw()
  }

  async function converse(first: string): Promise<void> {
    screen.say(`❯ ${first}`)
    const heard = await hooks.tell('UserPromptSubmit', { ...conversation.payload(), prompt: first })
    if (heard.decision === 'block') return screen.say(`⎿ ${heard.reason ?? 'refused'}`)
    let prompt = first
    for (let active = false; ; active = true) {
      conversation.transcript.prompt(prompt)
      screen.working('Working')
      const last = await turn(prompt)
      screen.say(`● ${last}`)
      conversation.transcript.reply([{ type: 'text', text: last }], conversation.tokens)
      await status()
      await pause(paceMs)
      const stop = { ...conversation.payload(), stop_hook_active: active, last_assistant_message: last }
      const { decision, reason } = await hooks.tell('Stop', stop)
      screen.working('')
      if (decision !== 'block' || reason === undefined) return
      screen.say(`⎿ Baton: ${reason.split('\n', 1)[0]}`)
      prompt = reason
    }
  }

  async function turn(prompt: string): Promise<string> {
    const special = replyTo(prompt, { cwd, step, refusal: refusalIn(home) })
    if (special) {
      if (special.file) await tools.write(special.file.path, special.file.text)
      return special.reply
    }
    const next = STEPS[step]
    if (!next) return finish()
    const last = await next({
      say(text) {
        screen.say(`● ${text}`)
        conversation.transcript.reply([{ type: 'text', text }], conversation.tokens)
      },
      run: (command, pretend) => tools.run(command, pretend),
      write: (path, text) => tools.write(path, text),
      branch: () => branchIn(cwd),
      grow(to) {
        conversation.tokens = to
      },
    })
    keepStep(home, ++step)
    return step === STEPS.length ? finish() : last
  }

  /** The agent ends its own work, as Baton's words at the start of a claimed session say. */
  async function finish(): Promise<string> {
    await tools.run("baton claim ready --summary 'Apply discount codes in the cart'")
    return 'Everything that issue 42 asks for is done, committed and handed off.'
  }
}

/** Kept in a file, because the script continues where it was when the program is started again. */
function stepReached(home: string): number {
  try {
    return Number(readFileSync(join(home, 'tour-step'), 'utf8')) || 0
  } catch {
    return 0
  }
}
function keepStep(home: string, now: number): void {
  writeFileSync(join(home, 'tour-step'), String(now))
}
