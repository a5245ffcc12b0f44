import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { agent as claude } from '../../../adapters/agents/claude-code/agent.ts'
import { onPath } from '../../../adapters/system/on-path.ts'
import type { Conversation } from './conversation.ts'
import type { Answer, Hooks } from './hooks.ts'
import type { Screen } from './screen.ts'
import type { Outcome } from './script.ts'

/** What a person said who refused a command; the next session knows it, too. */
const REFUSAL = 'tour-refusal'

/** Calls tools as Claude Code does: the hooks are asked before each, and told what came of it. */
export class ToolCalls {
  readonly #conversation: Conversation
  readonly #hooks: Hooks
  readonly #screen: Screen
  readonly #paceMs: number
  #calls = 0

  constructor(conversation: Conversation, hooks: Hooks, screen: Screen, paceMs: number) {
    this.#conversation = conversation
    this.#hooks = hooks
    this.#screen = screen
    this.#paceMs = paceMs
  }

  async run(command: string, pretend?: string): Promise<Outcome> {
    return await this.#call('Bash', { command }, async input => {
      if (pretend !== undefined) return { state: 'done', text: pretend }
      return await this.#shell(String(input.command))
    })
  }

  async write(path: string, text: string): Promise<Outcome> {
    const file_path = join(this.#conversation.cwd, path)
    return await this.#call('Write', { file_path, content: text }, async () => {
      mkdirSync(dirname(file_path), { recursive: true })
      writeFileSync(file_path, text)
      return { state: 'done', text: `Wrote ${path}` }
    })
  }

  async #call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    perform: (input: Readonly<Record<string, unknown>>) => Promise<Outcome>,
  ): Promise<Outcome> {
    const conversation = this.#conversation
    const tool_use_id = `toolu_${conversation.id.slice(0, 8)}_${++this.#calls}`
    const call = { ...conversation.payload(), tool_name: name, tool_input: input, tool_use_id }
    const shown = String(input.command ?? input.file_path)
    this.#screen.say(`● ${name}(${shown})`)
    conversation.transcript.reply([{ type: 'tool_use', id: tool_use_id, name, input }], conversation.tokens)
    await pause(this.#paceMs)
    const asked = (await this.#hooks.tell('PreToolUse', call)).hookSpecificOutput
    // As in Claude Code, what a hook puts in the input's place is what is asked about and what runs.
    const performed = { ...call, tool_input: asked?.updatedInput ?? input }
    const refusal =
      asked?.permissionDecision === 'deny'
        ? (asked.permissionDecisionReason ?? 'refused')
        : asked?.permissionDecision === 'allow'
          ? undefined
          : await this.#askPerson(performed, shown)
    if (refusal !== undefined) {
      this.#screen.say(`  ⎿ ${refusal}`)
      conversation.transcript.result(tool_use_id, refusal, true)
      return { state: 'refused', text: refusal }
    }
    const outcome = await perform(performed.tool_input)
    const [line = ''] = outcome.text.trim().split('\n').slice(-1)
    this.#screen.say(`  ⎿ ${line || 'done'}`)
    conversation.transcript.result(tool_use_id, outcome.text, outcome.state === 'failed')
    const event = outcome.state === 'failed' ? 'PostToolUseFailure' : 'PostToolUse'
    const response = { stdout: outcome.text, stderr: '' }
    await this.#hooks.tell(event, { ...performed, tool_response: response, error: outcome.text })
    return outcome
  }

  /** The dialog stays open until a person answers, through Baton. The reason of a no, or undefined for a yes. */
  async #askPerson(call: Readonly<Record<string, unknown>>, shown: string): Promise<string | undefined> {
    this.#screen.dialog([' Do you want to proceed?', ` ${shown}`, ' ❯ 1. Yes', '   2. No'])
    const answer: Answer = await this.#hooks.tell('PermissionRequest', call)
    this.#screen.dialog(undefined)
    const { behavior, message = 'no one said yes' } = answer.hookSpecificOutput?.decision ?? {}
    if (behavior === 'allow') return undefined
    writeFileSync(join(this.#conversation.home, REFUSAL), message)
    return message
  }

  #shell(command: string): Promise<Outcome> {
    return new Promise(resolve => {
      // Claude Code tells its commands whose they are.
      const env = { ...process.env, CLAUDE_CODE_SESSION_ID: this.#conversation.id }
      execFile(
        claudeShell(),
        ['-c', command],
        { cwd: this.#conversation.cwd, env, timeout: 30_000 },
        (error, stdout, stderr) => {
          resolve({ state: error ? 'failed' : 'done', text: `${stdout}${stderr}` })
        },
      )
    })
  }
}

export function refusalIn(home: string): string | undefined {
  const file = join(home, REFUSAL)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n', 1)[0] : undefined
}

/** The shell in which Claude Code would run its commands. */
function claudeShell(): string {
  const find = (name: string) => onPath(name, process.env)
  const name = claude.sandboxing?.shellOf(process.env, shell => find(shell) !== undefined)
  return (name && find(name)) ?? '/bin/sh'
}
