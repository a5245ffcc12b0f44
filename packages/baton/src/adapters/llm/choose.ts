import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { AnswerLaunch } from '../../ports/launch.ts'
import type { Model, ModelQuestion, OnModelUsage } from '../../ports/model.ts'
import { apiModel } from './api.ts'
import { cliModel } from './cli.ts'
import { type PrivateCalls, privateCall } from './private-call.ts'

export interface Choice extends PrivateCalls {
  /** The file that a program name would run, or undefined. */
  find(program: string): string | undefined
  /** How to start each agent for a single answer, the preferred agent first. */
  agents: readonly (AnswerLaunch & { agent: AgentName })[]
  onUsage?: OnModelUsage
}

/** Chooses what answers: the configured program, else the API if there is a key, else the first installed agent. */
export function chooseModel(
  choice: Choice,
  wanted: 'auto' | 'api' | AgentName = 'auto',
): { by: string; model: Model } | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl } = choice.env
  if (key && (wanted === 'auto' || wanted === 'api'))
    return { by: 'api', model: apiModel({ key, baseUrl }, choice.onUsage) }
  for (const { agent, ...launch } of choice.agents) {
    if (wanted !== 'auto' && wanted !== agent) continue
    const program = choice.find(launch.program)
    if (!program) continue
    // Other agents choose their own model, because Baton's model names are Claude's.
    const model =
      agent === 'claude-code'
        ? cliModel(program, choice, choice.onUsage)
        : programModel(program, launch, choice)
    return { by: launch.program, model }
  }
  return undefined
}

/** Asks any agent program that reads a question from standard input and prints the answer. `program` is the file to run. */
function programModel(
  program: string,
  launch: AnswerLaunch,
  calls: PrivateCalls & Pick<Choice, 'onUsage'>,
): Model {
  const run = (question: ModelQuestion, more: string, signal: AbortSignal): Promise<string> =>
    privateCall(
      calls,
      {
        ...launch,
        files: launch.files ?? {},
        program,
        input: `${question.system}\n\n${question.prompt}${more}`,
        withinMs: question.withinMs,
      },
      signal,
    ).finally(() => calls.onUsage?.({ by: launch.program, model: 'its own' }))
  return {
    async ask(question, shape, signal) {
      const answer = await run(
        question,
        `\n\n${launch.reads ? 'Use only tools that read.' : 'Use no tool.'} ${WANTED}\n${JSON.stringify(shape.schema)}`,
        signal,
      )
      try {
        return shape.parse(JSON.parse(bare(answer)))
      } catch {
        throw failed(program, 'gave no usable answer')
      }
    },
    async write(question, signal) {
      const text = (await run(question, '', signal)).trim()
      if (text === '') throw failed(program, 'said nothing')
      return text
    },
  }
}

const WANTED = 'Answer with one JSON object that fits this JSON Schema, and with nothing before or after it:'

/** Models often put JSON into a code fence; any other text around it makes the answer invalid. */
function bare(answer: string): string {
  const text = answer.trim()
  return /^```(?:json)?\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text
}

function failed(program: string, what: string): BatonError {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return new BatonError('model_failed', `${name} ${what}`, {
    remedy: `Run ${name} once by hand to see whether it is logged in.`,
  })
}
