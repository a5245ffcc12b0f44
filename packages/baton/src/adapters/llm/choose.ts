import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { AnswerLaunch } from '../../ports/launch.ts'
import type { Model, ModelQuestion } from '../../ports/model.ts'
import { apiModel } from './api.ts'
import { cliModel } from './cli.ts'
import { type PrivateCalls, privateCall } from './private-call.ts'

export interface Choice extends PrivateCalls {
  /** The file a program name runs, or undefined. */
  find(program: string): string | undefined
  /** How the agents are started for one answer, the preferred one first. */
  agents: readonly (AnswerLaunch & { agent: AgentName })[]
}

/** What answers questions here: who is wanted, or else the API where there is a key, else the first agent's program that is there. */
export function chooseModel(
  choice: Choice,
  wanted: 'auto' | 'api' | AgentName = 'auto',
): { by: string; model: Model } | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: baseUrl } = choice.env
  if (key && (wanted === 'auto' || wanted === 'api')) return { by: 'api', model: apiModel({ key, baseUrl }) }
  for (const { agent, ...launch } of choice.agents) {
    if (wanted !== 'auto' && wanted !== agent) continue
    const program = choice.find(launch.program)
    if (!program) continue
    // Its own choice of a model, except Claude Code's: ours are names of Claude's.
    const model = agent === 'claude-code' ? cliModel(program, choice) : programModel(program, launch, choice)
    return { by: launch.program, model }
  }
  return undefined
}

/** Any agent's own program that takes a question on standard input and prints its answer. `program` is the file to run. */
function programModel(program: string, launch: AnswerLaunch, calls: PrivateCalls): Model {
  const run = (question: ModelQuestion, more: string, signal: AbortSignal): Promise<string> =>
    privateCall(
      calls,
      {
        ...launch,
        program,
        input: `${question.system}\n\n${question.prompt}${more}`,
        withinMs: question.withinMs,
      },
      signal,
    )
  return {
    async ask(question, shape, signal) {
      const answer = await run(question, `\n\n${WANTED}\n${JSON.stringify(shape.schema)}`, signal)
      try {
        return shape.parse(JSON.parse(bare(answer)))
      } catch {
        throw failed(program, 'gave no answer of the wanted shape')
      }
    },
    async write(question, signal) {
      const text = (await run(question, '', signal)).trim()
      if (text === '') throw failed(program, 'said nothing')
      return text
    },
  }
}

const WANTED =
  'Use no tool. Answer with one JSON object that fits this JSON Schema, and with nothing before or after it:'

/** Models like to put JSON into a fence; anything else around it is no answer. */
function bare(answer: string): string {
  const text = answer.trim()
  return /^```(?:json)?\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text
}

function failed(program: string, what: string): BatonError {
  const name = program.slice(program.lastIndexOf('/') + 1)
  return new BatonError('model_failed', `${name} ${what}`, {
    remedy: `Run ${name} once by hand to see whether it is logged in`,
  })
}
