import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import type { Model, ModelQuestion } from '../../ports/model.ts'
import { type PrivateCalls, privateCall } from './private-call.ts'

/** Claude Code's own program, for people with a subscription and no key. It can do nothing but answer. */
export function cliModel(program: string, calls: PrivateCalls): Model {
  const run = async (question: ModelQuestion, schema: string | undefined, signal: AbortSignal) => {
    const call = {
      program,
      args: claudeArguments(question, schema),
      input: question.prompt,
      withinMs: question.withinMs,
      env: QUIET,
    }
    return readAnswer(await privateCall(calls, call, signal))
  }
  return {
    async ask(question, shape, signal) {
      const answer = await run(question, JSON.stringify(shape.schema), signal)
      try {
        return shape.parse(answer.structured_output ?? asJson(answer.result))
      } catch {
        throw failed('gave no answer of the wanted shape')
      }
    },
    async write(question, signal) {
      const { result } = await run(question, undefined, signal)
      if (result.trim() === '') throw failed('said nothing')
      return result
    },
  }
}

/** Set as variables, not flags: a version that does not know one ignores it instead of failing. */
const QUIET = {
  // No hooks, plugins, instructions, skills or MCP servers of the user; logins work as always.
  CLAUDE_CODE_SAFE_MODE: '1',
  // A `@path` in a prompt makes it read that file and send it along, even with all tools off.
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // Somebody waits: a service in trouble is not tried for minutes.
  CLAUDE_CODE_MAX_RETRIES: '1',
} as const

function claudeArguments({ model, system }: ModelQuestion, schema: string | undefined): string[] {
  // A name from configuration must not be read as another option.
  if (!/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/.test(model))
    throw new BatonError('config_invalid', `${JSON.stringify(model)} is not a model's name`)
  return [
    '-p',
    ...['--model', model],
    ...['--output-format', 'json'],
    ...['--system-prompt', system],
    ...['--tools', ''],
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

function readAnswer(stdout: string): z.infer<typeof Answer> {
  const parsed = Answer.safeParse(asJson(stdout))
  if (!parsed.success) throw failed('gave no answer')
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
    remedy: 'Run `claude -p hello` once by hand to see whether it is logged in',
  })
}
