import { systemClock } from '../adapters/system/clock.ts'
import type { Asks } from '../ask/asks.ts'
import { ScreenDialogs, type SeenDialog } from '../ask/screen-dialogs.ts'
import { ScreenQuestions, type SessionAt } from '../ask/screen-questions.ts'
import { type WhenUnanswered, whenUnanswered } from '../ask/unanswered.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import { stateByEvents } from '../session/watch/activity.ts'
import type { Watched } from '../session/watch/subjects.ts'
import type { Watch } from '../session/watch/watch.ts'
import type { HandsOffMode } from '../work/workflows/mode.ts'
import { runContext } from '../work/workflows/reactor.ts'
import type { Drivers } from './sessions.ts'

export interface ScreenDialogParts {
  asks: Asks
  drivers: Drivers
  handsOff: HandsOffMode
  config: ConfigKeeper
  isAway(): Promise<boolean>
  redact(text: string): string
  fault(during: string, cause: unknown): void
}

export interface ScreenAsks {
  /** Questions that an agent's hook announced. */
  questions: ScreenQuestions
  /** The periodic work: watches the terminals, and asks elsewhere what only a screen asks. */
  watch(watch: Watch): Promise<void>
}

/** Brings what agents ask on their screens to every channel. */
export function composeScreenAsks(parts: ScreenDialogParts): ScreenAsks {
  const { asks, drivers, redact, fault } = parts
  const common = {
    asks,
    unanswered: unansweredAt(parts),
    resumeRun: (session: SessionAt['session']['id']) => parts.handsOff.unpark(session),
    fault,
    clock: systemClock,
  }
  const questions = new ScreenQuestions({
    ...common,
    canAnswer: async (place, ...of) => (await drivers.at(place)?.canAnswer?.(place, ...of)) ?? false,
    findQuestions: async (place, ...of) => (await drivers.at(place)?.findQuestions?.(place, ...of)) ?? 'gone',
    answer: async (place, ...of) => (await drivers.at(place)?.answer?.(place, ...of)) ?? 'gone',
  })
  const dialogs = new ScreenDialogs({
    ...common,
    choose: async (place, ...of) => (await drivers.at(place)?.choose?.(place, ...of)) ?? 'gone',
    redact,
  })
  return {
    questions,
    async watch(watch) {
      await watch.tick()
      const watched = (await watch.look(Number.POSITIVE_INFINITY)).flatMap(sessionAt)
      await questions.look(watched)
      dialogs.look(
        watched.flatMap(({ dialog, ...at }): SeenDialog[] =>
          dialog ? [{ ...at, dialog, isTurnRunning: TURN.includes(stateByEvents(at.session)) }] : [],
        ),
        watched.filter(({ state }) => state === 'waiting' || state === 'person'),
      )
    },
  }
}

const TURN: readonly string[] = ['working', 'dialog']

function sessionAt({ session, agent, project, place, dialog, state }: Watched) {
  return session && place !== undefined ? [{ session, agent, project, place, dialog, state }] : []
}

function unansweredAt({ handsOff, config, isAway }: ScreenDialogParts) {
  return async ({ session, project }: SessionAt): Promise<WhenUnanswered> => {
    const at = project ?? session.cwd ?? '/'
    const settings = (await config.get(project)).config
    return await whenUnanswered(settings.asks, {
      workflow: () => handsOff.activeWorkflow(session, at),
      isAway,
      parkRun: reason =>
        handsOff.park(runContext({ session, project: at, config: settings, now: systemClock.now() }), reason),
    })
  }
}
