import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Hook = z.object({ type: z.literal('command'), command: z.string() })
const Settings = z.object({
  hooks: z.record(z.string(), z.array(z.object({ hooks: z.array(Hook) }))).default({}),
  statusLine: z.object({ type: z.literal('command'), command: z.string() }).optional(),
})
type Settings = z.infer<typeof Settings>

const Answer = z.object({
  decision: z.enum(['block', 'approve']).optional(),
  reason: z.string().optional(),
  systemMessage: z.string().optional(),
  hookSpecificOutput: z
    .object({
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      additionalContext: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      decision: z.object({ behavior: z.enum(['allow', 'deny']), message: z.string().optional() }).optional(),
    })
    .optional(),
})
export type Answer = z.infer<typeof Answer>

/** Runs the hooks in Claude Code's settings, as Claude Code does: the tour's agent is scripted, its hooks are real. */
export class Hooks {
  readonly #settings: Settings

  constructor(home: string) {
    this.#settings = Settings.parse(JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')))
  }

  async tell(event: string, payload: Readonly<Record<string, unknown>>): Promise<Answer> {
    const body = JSON.stringify({ ...payload, hook_event_name: event })
    let answer: Answer = {}
    for (const { hooks } of this.#settings.hooks[event] ?? []) {
      for (const hook of hooks) {
        answer = { ...answer, ...read(await run(hook.command, body)) }
      }
    }
    return answer
  }

  /** What is shown under the prompt line, made by the status line's command. */
  async statusLine(payload: Readonly<Record<string, unknown>>): Promise<string> {
    const command = this.#settings.statusLine?.command
    return command === undefined ? '' : await run(command, JSON.stringify(payload))
  }
}

function read(text: string): Answer {
  try {
    return Answer.parse(JSON.parse(text || '{}'))
  } catch {
    return {}
  }
}

function run(command: string, input: string): Promise<string> {
  return new Promise(resolve => {
    // The command is Baton's own, from settings that Baton wrote.
    const env = { ...process.env, CLAUDE_PID: String(process.pid) }
    const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stdin.on('error', () => {})
    child.once('error', () => resolve(''))
    child.once('close', () => resolve(out))
    child.stdin.end(input)
  })
}
