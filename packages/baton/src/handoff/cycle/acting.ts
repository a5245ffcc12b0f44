import type { Cycle } from '@batonpass/contract/cycle'
import type { Driver, Typed } from '../../ports/driver.ts'
import type { Timers } from '../../ports/timers.ts'

/** How long a turn that writes its last words may take to end, before it is interrupted. */
const ENDING_MS = 20_000
const INTERRUPTED_MS = 10_000
/** How long a prompt line may take to come back after a command. */
const READY_MS = 10_000
const LOOK_MS = 100

export interface Acting {
  driver: Driver
  timers: Timers
}

type Place = Pick<Cycle, 'place' | 'agent'>

/** Clears the context at a place, and interrupts a turn there only when it does not end by itself. */
export async function clearAt(
  { driver, timers }: Acting,
  { place, agent }: Place,
  interrupted: () => Promise<void>,
): Promise<Typed> {
  let state = await restAt({ driver, timers }, { place, agent }, ENDING_MS)
  if (state === 'working') {
    await interrupted()
    if ((await driver.interrupt(place, agent)) === 'gone') return 'gone'
    state = await restAt({ driver, timers }, { place, agent }, INTERRUPTED_MS)
  }
  return state === 'waiting' ? driver.clear(place, agent) : state === 'gone' ? 'gone' : 'busy'
}

/** Types a prompt at a place once it waits for one. */
export async function typeAt(acting: Acting, { place, agent }: Place, text: string): Promise<Typed> {
  const state = await restAt(acting, { place, agent }, READY_MS)
  return state === 'waiting' ? acting.driver.type(place, text, agent) : state === 'gone' ? 'gone' : 'busy'
}

export async function interruptAt(acting: Acting, { place, agent }: Place): Promise<void> {
  if ((await acting.driver.interrupt(place, agent)) !== 'interrupted') return
  await restAt(acting, { place, agent }, INTERRUPTED_MS)
}

/** Waits until a turn there has ended; what it is then. A person at the terminal is not waited for. */
async function restAt(
  { driver, timers }: Acting,
  { place, agent }: Place,
  withinMs: number,
): Promise<'waiting' | 'working' | 'busy' | 'gone'> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const { state } = await driver.look(place, agent)
    if (state === 'waiting') return 'waiting'
    if (state === 'gone' || state === 'dead') return 'gone'
    if (state === 'person' || state === 'dialog') return 'busy'
    if (waited >= withinMs) return state === 'working' ? 'working' : 'busy'
    await new Promise<void>(resolve => timers.after(LOOK_MS, resolve))
  }
}
