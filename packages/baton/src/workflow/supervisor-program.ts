import { BatonError } from '@batonpass/contract/errors'
import type { Chance } from '../ports/chance.ts'
import type { AnswerLaunch, Launches } from '../ports/launch.ts'
import {
  cleanAnswer,
  SUPERVISOR_MS,
  type Supervisor,
  type SupervisorRequest,
  splitFlags,
  supervisorBrief,
} from './supervisor.ts'

export interface SupervisorParts {
  /** How an agent is started for one answer, where it can be. */
  answerOf(provider: string): Answering | undefined
  /** Runs an agent's program for one answer and gives what it prints: away from the project, with hooks that stand aside. */
  answer(call: AnswerLaunch & { input: string; withinMs: number }, signal: AbortSignal): Promise<string>
  chance: Pick<Chance, 'id'>
  fault(during: string, cause: unknown): void
}

type Answering = NonNullable<Launches['answer']>

/** Asks the program of the given agent, with its tools shut where it lets us, and takes what it prints as text. */
export function programSupervisor({ answerOf, answer, chance, fault }: SupervisorParts): Supervisor {
  return {
    async write(request, signal) {
      const { provider } = request.settings
      if (provider === 'none') return undefined
      try {
        const launch = launchFor(answerOf(provider), request.settings)
        // It comes on standard input: it may be longer than an argument can be, and may begin with a dash.
        const input = supervisorBrief(request, () => chance.id(26))
        return cleanAnswer(await answer({ ...launch, input, withinMs: SUPERVISOR_MS }, signal))
      } catch (cause) {
        fault(`the supervisor ${provider}`, cause)
        return undefined
      }
    },
  }
}

export function launchFor(
  answer: Answering | undefined,
  { provider, model, flags }: Pick<SupervisorRequest['settings'], 'provider' | 'model' | 'flags'>,
): AnswerLaunch {
  // A name from configuration must not be read as another option.
  if (model && !/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/.test(model))
    throw new BatonError('config_invalid', 'handsoff.supervisor.model is not a name of a model')
  if (!answer) throw new BatonError('agent_unknown', `Baton cannot ask ${provider} for an answer`)
  return answer({ model: model || undefined, flags: splitFlags(flags) })
}
