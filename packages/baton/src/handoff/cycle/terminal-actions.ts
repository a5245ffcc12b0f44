import type { Cycle } from '@batonpass/contract/cycle'
import type { Driver, TypeResult } from '../../ports/driver.ts'
import type { Timers } from '../../ports/timers.ts'

/** How long a turn may take to end before Baton interrupts it. */
const ENDING_MS = 20_000
const INTERRUPTED_MS = 10_000
/** How long the prompt may take to reappear after a command. */
const READY_MS = 10_000
const LOOK_MS = 100

export interface TerminalAccess {
  driver: Driver
  timers: Timers
}

type Place = Pick<Cycle, 'place' | 'agent'>

/** Clears the context at a place. Interrupts a running turn only if it does not end by itself. */
export async function clearAt(
  { driver, timers }: TerminalAccess,
  { place, agent }: Place,
  interrupted: () => Promise<void>,
): Promise<TypeResult> {
  let state = await waitForRest({ driver, timers }, { place, agent }, ENDING_MS)
  if (state === 'working') {
    await interrupted()
    if ((await driver.interrupt(place, agent)) === 'gone') return 'gone'
    state = await waitForRest({ driver, timers }, { place, agent }, INTERRUPTED_MS)
  }
  if (state !== 'waiting') return state === 'gone' ? 'gone' : 'busy'
  return confirmGone({ driver, timers }, { place, agent }, await driver.clear(place, agent))
}

/** Types a prompt when the agent at a place waits for one. */
export async function typeAt(
  acting: TerminalAccess,
  { place, agent }: Place,
  text: string,
): Promise<TypeResult> {
  const state = await waitForRest(acting, { place, agent }, READY_MS)
  if (state !== 'waiting') return state === 'gone' ? 'gone' : 'busy'
  return confirmGone(acting, { place, agent }, await acting.driver.type(place, text, agent))
}

export async function interruptAt(acting: TerminalAccess, { place, agent }: Place): Promise<void> {
  if ((await acting.driver.interrupt(place, agent)) !== 'interrupted') return
  await waitForRest(acting, { place, agent }, INTERRUPTED_MS)
}

/** Whether the terminal at a place is gone. Looks several times: on a busy machine one look may fail. */
export async function isGone({ driver, timers }: TerminalAccess, { place, agent }: Place): Promise<boolean> {
  for (let looks = 1; ; looks++) {
    const { state } = await driver.readScreen(place, agent)
    if (state !== 'gone' && state !== 'dead') return false
    if (looks === SURE_AFTER) return true
    await new Promise<void>(resolve => timers.after(SURE_MS, resolve))
  }
}

async function confirmGone(acting: TerminalAccess, place: Place, outcome: TypeResult): Promise<TypeResult> {
  return outcome === 'gone' && !(await isGone(acting, place)) ? 'busy' : outcome
}

const SURE_AFTER = 3
const SURE_MS = 700

/** Waits until the running turn has ended and returns the terminal's state. Does not wait for a person who is typing. */
async function waitForRest(
  { driver, timers }: TerminalAccess,
  { place, agent }: Place,
  withinMs: number,
): Promise<'waiting' | 'working' | 'busy' | 'gone'> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const { state } = await driver.readScreen(place, agent)
    if (state === 'waiting') return 'waiting'
    if ((state === 'gone' || state === 'dead') && (await isGone({ driver, timers }, { place, agent })))
      return 'gone'
    if (state === 'person' || state === 'dialog') return 'busy'
    if (waited >= withinMs) return state === 'working' ? 'working' : 'busy'
    await new Promise<void>(resolve => timers.after(LOOK_MS, resolve))
  }
}
