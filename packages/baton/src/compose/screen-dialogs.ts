import { systemClock } from '../adapters/system/clock.ts'
import type { Asks } from '../ask/asks.ts'
import { ScreenDialogs, type SeenDialog } from '../ask/screen-dialogs.ts'
import { whenUnanswered } from '../ask/unanswered.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Watch } from '../session/watch/watch.ts'
import type { HandsOffMode } from '../work/workflows/mode.ts'
import { runContext } from '../work/workflows/reactor.ts'
import type { Drivers } from './sessions.ts'

export interface ScreenDialogParts {
  asks: Asks
  watch: Watch
  drivers: Drivers
  handsOff: HandsOffMode
  config: ConfigKeeper
  isAway(): Promise<boolean>
  redact(text: string): string
  fault(during: string, cause: unknown): void
}

/** Returns the periodic work: watches the terminals, and asks elsewhere what only a screen asks. */
export function composeScreenDialogs(parts: ScreenDialogParts): () => Promise<void> {
  const { asks, watch, drivers, handsOff, config, isAway, redact, fault } = parts
  const dialogs = new ScreenDialogs({
    asks,
    choose: async (place, agent, dialog, option) =>
      (await drivers.at(place)?.choose?.(place, agent, dialog, option)) ?? 'gone',
    unanswered: async ({ session, project }) => {
      const at = project ?? session.cwd ?? '/'
      const settings = (await config.get(project)).config
      return whenUnanswered(settings.asks, {
        workflow: () => handsOff.activeWorkflow(session, at),
        isAway,
        parkRun: reason =>
          handsOff.park(
            runContext({ session, project: at, config: settings, now: systemClock.now() }),
            reason,
          ),
      })
    },
    resumeRun: session => handsOff.unpark(session),
    redact,
    fault,
    clock: systemClock,
  })
  return async () => {
    await watch.tick()
    const watched = await watch.look(Number.POSITIVE_INFINITY)
    dialogs.look(
      watched.flatMap(({ session, agent, project, place, dialog }): SeenDialog[] =>
        session && place && dialog ? [{ session, agent, project, place, dialog }] : [],
      ),
    )
  }
}
