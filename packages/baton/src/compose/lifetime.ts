import { setTimeout as pause } from 'node:timers/promises'
import type { Asks } from '../ask/asks.ts'
import type { Intake } from '../engine/intake.ts'
import type { Baton } from './baton.ts'
import type { FleetKeeper } from './fleet-keeper.ts'
import type { Ground } from './ground.ts'
import type { composeHooks } from './hooks.ts'
import type { Jobs } from './jobs.ts'
import type { ComposedSandbox } from './sandbox.ts'
import type { Drivers, Sessions } from './sessions.ts'
import { Ticks } from './ticks.ts'

/** How long a stop waits for running ticks. */
const MAX_TICK_MS = 3000

interface LivingParts extends Jobs {
  asks: Asks
  drivers: Drivers
  fleet: FleetKeeper
  intake: Intake
  sandbox: ComposedSandbox | undefined
  screens: ReturnType<typeof composeHooks>['screens']
  sessions: Sessions
}

/** What starts after everything is built, what runs every few seconds, and the order in which it all ends. */
export function composeLifetime(
  ground: Ground,
  parts: LivingParts,
): Pick<Baton, 'startSandbox' | 'tick' | 'close'> {
  const { asks, claim, drivers, fleet, intake, proofs, sandbox } = parts
  const ticks = new Ticks(periodicWork(ground, parts), ground.fault)
  return {
    async startSandbox() {
      if (sandbox) {
        const live = await ground.store.sessions({ live: true, limit: 5000 })
        await sandbox.start(new Set(live.map(({ id }) => id)))
      }
      // Only now: the sandboxes of proofs that a killed daemon left have ended.
      await proofs?.resume()
    },
    tick: () => ticks.tick(),
    async close(hosted) {
      const steps = [
        // Do not wait long for a tick that waits for a forge or an agent: its stored state is resumed after the next start.
        () => Promise.race([ticks.idle(), pause(MAX_TICK_MS, undefined, { ref: false })]),
        () => fleet.close(),
        () => claim.close(),
        async () => proofs?.close(),
        async () => sandbox?.close(),
        () => asks.stop(),
        () => intake.idle(),
        async () => {
          if (hosted === 'end') await sandbox?.endAll()
        },
        () => drivers.close(hosted),
      ]
      // Continue after a failed step: otherwise the daemon would keep its lock without serving calls.
      for (const step of steps) await step().catch(cause => ground.fault('closing', cause))
      await ground.close()
    },
  }
}

/** Each by the name under which a failure is reported. */
const periodicWork = (
  { inMemory }: Ground,
  { claim, cycle, fleet, handsOff, sandbox, screens, sessions, shownProofs, unattended, work }: LivingParts,
): Record<string, () => Promise<unknown>> => ({
  workflows: () => handsOff.tick(),
  claims: () => claim.claims.tick(),
  ...(cycle ? { cycles: () => cycle.cycles.tick() } : {}),
  watch: () => screens.watch(sessions.watch),
  stages: () => work.tick(),
  ...(unattended ? { hungTurns: () => unattended.hungTurns.tick() } : {}),
  ...(sandbox
    ? {
        sandbox: async () => {
          await sandbox.whole.agents.tick()
          await sandbox.sandboxes.tick()
        },
      }
    : {}),
  ...(inMemory ? {} : { fleet: () => fleet.tick(), shownProofs: () => shownProofs.tick() }),
})
