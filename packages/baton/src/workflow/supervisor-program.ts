import { BatonError } from '@batonpass/contract/errors'
import type { Launch, Launches } from '../ports/launch.ts'
import type { Programs } from '../ports/programs.ts'
import type { OwnCalls } from '../session/own-calls.ts'
import {
  cleanAnswer,
  SUPERVISOR_MS,
  type Supervisor,
  type SupervisorRequest,
  splitFlags,
  supervisorBrief,
} from './supervisor.ts'

export interface SupervisorParts {
  programs: Programs
  ownCalls: OwnCalls
  env: Readonly<Record<string, string | undefined>>
  /** How an agent is started for one answer, where it can be. */
  answerOf(provider: string): Answering | undefined
  fault(during: string, cause: unknown): void
}

type Answering = NonNullable<Launches['answer']>

/** Asks the program of the given agent, with its tools shut where it lets us, and takes what it prints as text. */
export function programSupervisor({ programs, ownCalls, env, answerOf, fault }: SupervisorParts): Supervisor {
  return {
    async write(request, signal) {
      const { provider } = request.settings
      if (provider === 'none') return undefined
      const call = ownCalls.issue()
      try {
        const { program, args, env: own } = launchFor(answerOf(provider), request.settings)
        const end = await programs.run(
          {
            program,
            args,
            cwd: request.project,
            env: { ...environmentFor(env, call.marker), ...own },
            // A word such as @file would have Claude Code read that file into the request.
            input: supervisorBrief(request).replaceAll(/(?<![A-Za-z0-9])@(?=\S)/g, '@ '),
            withinMs: SUPERVISOR_MS,
          },
          signal,
        )
        if (end.why === 'itself' && end.code === 0) return cleanAnswer(end.stdout)
        throw new Error(`${program} ended with ${end.code ?? end.why}: ${end.stderr.slice(-500)}`)
      } catch (cause) {
        fault(`the supervisor ${provider}`, cause)
        return undefined
      } finally {
        call.release()
      }
    },
  }
}

/** The brief comes on standard input: it may be longer than an argument can be, and may begin with a dash. */
export function launchFor(
  answer: Answering | undefined,
  { provider, model, flags }: Pick<SupervisorRequest['settings'], 'provider' | 'model' | 'flags'>,
): Launch {
  // A name from configuration must not be read as another option.
  if (model && !/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/.test(model))
    throw new BatonError('config_invalid', 'handsoff.supervisor.model is not a name of a model')
  if (!answer) throw new BatonError('agent_unknown', `Baton cannot ask ${provider} for an answer`)
  return answer({ model: model || undefined, flags: splitFlags(flags) })
}

/** What an agent leaves to its children would make the supervisor think it runs inside that agent. */
const OF_A_SESSION =
  /^(?:CLAUDECODE|CLAUDE_PID|CLAUDE_CODE_(?:SESSION|CHILD|MESSAGING|ENTRYPOINT|EXECPATH).*|CODEX_THREAD_ID|TMUX|TMUX_PANE|BATON_MARKER)$/

function environmentFor(env: SupervisorParts['env'], marker: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !OF_A_SESSION.test(name))
  const clean: Record<string, string> = {
    BATON_MARKER: marker,
    CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  for (const [name, value] of kept) if (value !== undefined) clean[name] = value
  return clean
}
