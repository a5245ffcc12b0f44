import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import type { Model, ModelQuestion, ModelUsage, OnModelUsage } from '../../ports/model.ts'
import { type PrivateCall, type PrivateCalls, privateCall } from './private-call.ts'

/** Asks Claude Code's own program, for users with a subscription and no key. It can only answer; in the sandbox, also look. */
export function cliModel(program: string, calls: PrivateCalls, onUsage: OnModelUsage = () => {}): Model {
  const run = async (question: ModelQuestion, schema: string | undefined, signal: AbortSignal) => {
    const call = {
      program,
      args: claudeArguments(question, schema, calls.inside ? READING : ''),
      input: question.prompt,
      withinMs: question.withinMs,
      env: QUIET,
    }
    let stdout = ''
    try {
      stdout = await privateCall(calls, call, signal)
    } finally {
      onUsage({ by: 'claude', model: question.model, ...usageIn(stdout) })
    }
    return readAnswer(stdout)
  }
  return {
    async ask(question, shape, signal) {
      const answer = await run(question, JSON.stringify(shape.schema), signal)
      try {
        return shape.parse(answer.structured_output ?? asJson(answer.result))
      } catch {
        throw failed('gave no usable answer')
      }
    },
    async write(question, signal) {
      const { result } = await run(question, undefined, signal)
      if (result.trim() === '') throw failed('said nothing')
      return result
    },
  }
}

/** Runs an agent's program for one answer in plain text, and reports what it used: Claude Code says so in its JSON form. */
export async function countedAnswer(
  calls: PrivateCalls,
  call: PrivateCall & { model?: string | undefined },
  onUsage: OnModelUsage,
  signal: AbortSignal,
): Promise<string> {
  const { model = 'its own', ...rest } = call
  const isClaude = call.program === 'claude'
  const args = isClaude ? [...call.args, '--output-format', 'json'] : call.args
  let stdout = ''
  try {
    stdout = await privateCall(calls, { ...rest, args }, signal)
  } finally {
    onUsage({ by: call.program, model, ...(isClaude ? usageIn(stdout) : {}) })
  }
  return isClaude ? readAnswer(stdout).result : stdout
}

/** Environment variables instead of flags: a version that does not know one ignores it instead of failing. */
const QUIET = {
  // Disable the user's hooks, plugins, instructions, skills and MCP servers; logins still work.
  CLAUDE_CODE_SAFE_MODE: '1',
  // Without this, a `@path` in a prompt makes it read and send that file, even with all tools off.
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // A caller waits: do not retry for minutes.
  CLAUDE_CODE_MAX_RETRIES: '1',
} as const

/** Tools that only look, for a call in the sandbox. */
const READING = 'Read,Grep,Glob'

function claudeArguments(
  { model, system }: ModelQuestion,
  schema: string | undefined,
  tools: string,
): string[] {
  // A name from the configuration must not be parsed as another option.
  if (!/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/.test(model))
    throw new BatonError('config_invalid', `${JSON.stringify(model)} is not a model's name`)
  return [
    '-p',
    ...['--model', model],
    ...['--output-format', 'json'],
    ...['--system-prompt', system],
    ...['--tools', tools],
    ...['--setting-sources', 'user'],
    '--strict-mcp-config',
    '--disable-slash-commands',
    '--no-session-persistence',
    ...(schema ? ['--json-schema', schema] : []),
  ]
}

const Answer = z.object({
  type: z.literal('result'),
  subtype: z.literal('success'),
  is_error: z.literal(false),
  result: z.string(),
  structured_output: z.unknown().optional(),
})

const Usage = z.object({
  total_cost_usd: z.number().nonnegative().optional().catch(undefined),
  usage: z
    .object({
      input_tokens: z.int().nonnegative(),
      output_tokens: z.int().nonnegative(),
      cache_creation_input_tokens: z.int().nonnegative().default(0).catch(0),
      cache_read_input_tokens: z.int().nonnegative().default(0).catch(0),
    })
    .optional()
    .catch(undefined),
})

/** What the program says that the call used; nothing where it did not answer. */
function usageIn(stdout: string): Partial<ModelUsage> {
  const { usage, total_cost_usd: usd } = Usage.safeParse(asJson(stdout)).data ?? {}
  const input =
    usage && usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
  return {
    ...(usage && input !== undefined ? { inputTokens: input, outputTokens: usage.output_tokens } : {}),
    ...(usd === undefined ? {} : { usd }),
  }
}

function readAnswer(stdout: string): z.infer<typeof Answer> {
  const parsed = Answer.safeParse(asJson(stdout))
  if (!parsed.success) throw failed('did not answer')
  return parsed.data
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failed(what: string): BatonError {
  return new BatonError('model_failed', `Claude Code ${what}`, {
    remedy: 'Run `claude -p hello` once by hand to see whether it is logged in.',
  })
}
