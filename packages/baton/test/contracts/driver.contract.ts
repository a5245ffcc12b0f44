import type { AgentName } from '@batonpass/contract/event'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Driver, ScreenReading, StartOrder, TypeResult } from '../../src/ports/driver.ts'
import { until } from '../world/wait.ts'

/** What the suite needs of a driver's surroundings: a small agent that does as it is told. */
export interface DriverWorld extends AsyncDisposable {
  driver: Driver
  agent: AgentName
  /**
   * Starts an agent that remembers its prompts and does a few of them: `work` runs until it is interrupted, `die`
   * ends its process with a failure, and anything else is answered at once.
   */
  order(title: string): StartOrder
  /** The prompts that this agent took, oldest first; `/clear` and its like do not count. */
  prompts(place: string): Promise<string[]>
  /** How many conversations this agent has begun. */
  conversations(place: string): Promise<number>
  /** A conversation counts only from its first prompt on. */
  startsWithPrompt?: true
  /** Waits for an agent that shows its prompt line before it has quite begun. */
  ready?(place: string): Promise<unknown>
  /** Waits for the end of so many turns, where the screen shows late that one has begun. */
  ended?(place: string, count: number): Promise<unknown>
  /** A place that looks like one of this driver's, where nothing is. */
  nowhere: string
  /** Lets an agent's process end with a failure, where a prompt does not do it. */
  die?(place: string): Promise<void>
  /** An agent that Baton did not start, if the driver supports that. */
  stranger?(): Promise<string>
  /** A person starts to type there, if the driver supports that. */
  person?(place: string): Promise<void>
}

/** What every driver must do. */
export function driverContract(name: string, open: () => Promise<DriverWorld>, timeout = 120_000): void {
  describe(`A driver: ${name}`, { timeout }, () => {
    let world: DriverWorld
    const begun: string[] = []
    beforeAll(async () => {
      world = await open()
    })
    afterAll(async () => {
      for (const place of begun) await world.driver.kill(place).catch(() => false)
      await world[Symbol.asyncDispose]()
    })

    const begin = async (title: string) => {
      const started = await world.driver.start(world.order(title))
      begun.push(started.place)
      await comes(started.place, 'waiting')
      if (world.ready) {
        await world.ready(started.place)
        await comes(started.place, 'waiting')
      }
      return started
    }
    const comes = (place: string, ...states: ScreenReading['state'][]) =>
      until(
        async () => {
          const look = await world.driver.readScreen(place, world.agent)
          return states.includes(look.state) && look
        },
        {
          what: `${place} to be ${states.join(' or ')}`,
          timeout: timeout - 2000,
          evidence: async () => (await world.driver.readScreen(place, world.agent)).lines.join('\n'),
        },
      )
    const type = (place: string, text: string) => world.driver.type(place, text, world.agent)
    /** Hooks that run after its start or a turn may keep it busy for a moment. */
    const soon = (act: () => Promise<TypeResult>) =>
      until(async () => (await act().then(outcome => outcome !== 'busy' && outcome)) || undefined, {
        what: 'it to be free',
      })
    const told = (place: string, count: number) =>
      until(async () => (await world.prompts(place)).length === count, {
        what: `prompt ${count}`,
        timeout: timeout / 3,
      })
    /** An agent may need a moment to begin with what it took. */
    const answered = async (place: string, count: number) => {
      await told(place, count)
      await world.ended?.(place, count)
      await comes(place, 'waiting')
    }

    it('starts an agent, looks at it and says which process it is', async () => {
      const { place, pid } = await begin('contract-look')
      expect(world.driver.reaches(place)).toBe(true)
      const look = await world.driver.readScreen(place, world.agent)
      expect(look.state).toBe('waiting')
      expect(look.pid ?? pid).toBeGreaterThan(1)
      for (const line of look.lines) expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/)
      const glance = (await world.driver.checkPlaces?.([place, world.nowhere])) ?? new Map()
      if (world.driver.checkPlaces) {
        expect(glance.get(place)?.state).toBe('there')
        expect(glance.get(world.nowhere)?.state).toBe('gone')
      }
    })

    it('types a prompt of several lines as one, whatever is in it', async () => {
      const { place } = await begin('contract-type')
      const hostile =
        'first; second\n"third" \'fourth\' $(touch x) `id` #{pane_id} \\ %end 1 2 1\n-t fünf 🎉 Enter C-c'
      expect(await soon(() => type(place, hostile))).toBe('taken')
      await answered(place, 1)
      expect(await soon(() => type(place, 'once more'))).toBe('taken')
      await answered(place, 2)
      expect(await world.prompts(place)).toEqual([hostile, 'once more'])
    })

    it('does not type while the agent works, and interrupts only then', async () => {
      const { place } = await begin('contract-work')
      expect(await world.driver.interrupt(place, world.agent)).toBe('idle')
      expect(await soon(() => type(place, 'work'))).toBe('taken')
      await comes(place, 'working')
      await told(place, 1)
      expect(await type(place, 'not now')).toBe('busy')
      expect(await world.driver.interrupt(place, world.agent)).toBe('interrupted')
      await comes(place, 'waiting')
      expect(await soon(() => type(place, 'now'))).toBe('taken')
      await answered(place, 2)
      expect(await world.prompts(place)).toEqual(['work', 'now'])
    })

    it('begins a fresh conversation at the same place', async () => {
      const { place } = await begin('contract-clear')
      const first = world.startsWithPrompt ? ['hello'] : []
      for (const prompt of first) {
        expect(await soon(() => type(place, prompt))).toBe('taken')
        await answered(place, 1)
      }
      expect(await world.conversations(place)).toBe(1)
      expect(await soon(() => world.driver.clear(place, world.agent))).toBe('taken')
      await comes(place, 'waiting')
      const second = () =>
        until(async () => (await world.conversations(place)) === 2, { what: 'the second conversation' })
      if (!world.startsWithPrompt) await second()
      expect(world.driver.startsWithPrompt?.(world.agent) ?? false).toBe(world.startsWithPrompt ?? false)
      expect(await soon(() => type(place, 'hello again'))).toBe('taken')
      await answered(place, first.length + 1)
      await second()
      expect(await world.prompts(place)).toEqual([...first, 'hello again'])
    })

    it('says of an agent that ended that it is dead or gone, and types nothing there', async () => {
      const { place } = await begin('contract-die')
      if (world.die) await world.die(place)
      else await type(place, 'die')
      await comes(place, 'dead', 'gone')
      expect(await type(place, 'anybody?')).toBe('gone')
      expect(await world.driver.interrupt(place, world.agent)).toBe('gone')
    })

    it('knows when there is nothing at a place', async () => {
      expect((await world.driver.readScreen(world.nowhere, world.agent)).state).toBe('gone')
      expect(await type(world.nowhere, 'x')).toBe('gone')
      expect(await world.driver.clear(world.nowhere, world.agent)).toBe('gone')
      expect(await world.driver.interrupt(world.nowhere, world.agent)).toBe('gone')
      expect(await world.driver.kill(world.nowhere)).toBe(false)
      for (const odd of ['', 'x', '%1; rm -rf /', '%1 relative', `${world.nowhere}\n`])
        expect(world.driver.reaches(odd)).toBe(false)
    })

    it('ends what it started, and nothing else', async () => {
      const { place } = await begin('contract-kill')
      expect(await world.driver.kill(place)).toBe(true)
      await comes(place, 'gone')
      expect(await world.driver.kill(place)).toBe(false)
      const other = await world.stranger?.()
      if (other === undefined) return
      expect(await world.driver.kill(other)).toBe(false)
      expect((await world.driver.readScreen(other, world.agent)).state).toBe('waiting')
    })

    it('leaves a person alone who has begun to type', async () => {
      if (!world.person) return
      const { place } = await begin('contract-person')
      await world.person(place)
      await comes(place, 'person')
      expect(await type(place, 'not into that')).toBe('busy')
      expect(await world.prompts(place)).toEqual([])
    })
  })
}
