import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { toReaction } from '../../src/engine/merge.ts'
import { react } from '../../src/engine/react.ts'
import type { Contribution } from '../../src/ports/contribution.ts'
import type { Later, Reactor } from '../../src/ports/reactor.ts'
import { anyEvent } from '../world/any-journal.ts'
import { aPrompt } from '../world/journal.ts'
import { anySaid, context, reactorSaying } from './sample.ts'

const { prompt: _, ...common } = { ...aPrompt(''), prompt: '' }
const toolRequest = {
  ...common,
  type: 'ToolRequested' as const,
  tool: 'Bash',
  input: {},
  action: { kind: 'shell' as const, command: 'ls' },
}
const nobody = new AbortController().signal
const noFault = (by: string, cause: unknown) => {
  throw new Error(`${by} failed`, { cause })
}
const later = (run: Later['run'], withinMs = 60_000): Reactor => ({
  name: 'permission',
  react: () => ({ later: { run, withinMs, otherwise: { context: 'in its place' } } }),
})
const never = () => new Promise<Contribution>(() => {})

describe('reactors that fail', () => {
  it('hold the queue for ten seconds at most when they hang', async () => {
    vi.useFakeTimers()
    try {
      const hanging: Reactor = { name: 'stage', react: () => new Promise(() => {}) }
      const faults: string[] = []
      const reacting = react(
        [hanging, reactorSaying('workflow', { context: 'here' })],
        toolRequest,
        context,
        by => faults.push(by),
      )
      await vi.advanceTimersByTimeAsync(10_000)
      const said = toReaction((await reacting).merged)
      expect(faults).toEqual(['stage'])
      expect(said).toMatchObject({ context: 'here', permission: { decision: 'ask' } })
    } finally {
      vi.useRealTimers()
    }
  })

  it('have ten seconds each, also after another one that hung', async () => {
    vi.useFakeTimers()
    try {
      const hanging = (name: Reactor['name']): Reactor => ({ name, react: () => new Promise(() => {}) })
      const slow: Reactor = {
        name: 'claim',
        react: () => new Promise(resolve => setTimeout(resolve, 9_000, { now: { context: 'slow' } })),
      }
      const faults: string[] = []
      const all = [slow, hanging('stage'), slow, hanging('workflow')]
      const reacting = react(all, toolRequest, context, by => faults.push(by))
      await vi.advanceTimersByTimeAsync(18_000)
      expect(faults).toEqual([])
      await vi.advanceTimersByTimeAsync(20_000)
      expect(toReaction((await reacting).merged)).toMatchObject({ context: 'slow' })
      expect(faults).toEqual(['stage', 'workflow'])
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('cost the others nothing', async () => {
    const throwing: Reactor = {
      name: 'stage',
      react: () => {
        throw new Error('broken')
      },
    }
    await fc.assert(
      fc.asyncProperty(fc.array(anySaid, { maxLength: 5 }), anyEvent, fc.nat(5), async (said, event, at) => {
        const asks = event.type === 'ToolRequested' || event.type === 'PermissionAsked'
        const healthy = said.map(({ by, what }) => reactorSaying(by, what))
        const faults: string[] = []
        const fault = (by: string) => faults.push(by)
        const without = toReaction((await react(healthy, event, context, fault)).merged)
        const ill = healthy.toSpliced(Math.min(at, healthy.length), 0, throwing)
        const { permission, ...withFault } = toReaction((await react(ill, event, context, fault)).merged)
        const { permission: before, ...rest } = without
        expect(faults).toEqual(['stage'])
        expect(withFault).toEqual(rest)
        if (!asks) expect(permission).toEqual(before)
        else expect(permission?.decision).toBe(before?.decision === 'deny' ? 'deny' : 'ask')
      }),
    )
  })

  it('leave a permission to a person, even where another would allow it', async () => {
    const allow = reactorSaying('workflow', { permission: { decision: 'allow', reason: 'declared' } })
    const broken: Reactor = { name: 'permission', react: () => Promise.reject(new Error('no rules')) }
    const { merged } = await react([broken, allow], toolRequest, context, () => {})
    expect(toReaction(merged).permission?.decision).toBe('ask')
  })
})

describe('an answer that takes its time', () => {
  it('is not waited for before it is asked for, and joins what was said at once', async () => {
    const now = reactorSaying('session', { context: 'at once' })
    const slow = later(async () => ({ notice: 'at last' }))
    const reacting = await react([slow, now], toolRequest, context, noFault)
    expect(reacting.waiting).toBe(true)
    expect(toReaction(reacting.merged)).toEqual({ context: 'at once' })
    expect(toReaction(await reacting.rest(nobody))).toEqual({ context: 'at once', notice: 'at last' })
  })

  it('is replaced by what is said otherwise when its time is up, and is told to stop', async () => {
    let stopped = false
    const slow = later(signal => {
      signal.addEventListener('abort', () => {
        stopped = true
      })
      return never()
    }, 1)
    const { rest } = await react([slow], toolRequest, context, noFault)
    expect(toReaction(await rest(nobody))).toEqual({ context: 'in its place' })
    expect(stopped).toBe(true)
  })

  it('is given up when the caller stops waiting', async () => {
    const gone = new AbortController()
    const { rest } = await react([later(never)], toolRequest, context, noFault)
    const settled = rest(gone.signal)
    gone.abort()
    expect(toReaction(await settled)).toEqual({ context: 'in its place' })
  })

  it('does not even start when no caller waits', async () => {
    let begun = false
    const slow = later(() => {
      begun = true
      return never()
    })
    const { rest } = await react([slow], toolRequest, context, noFault)
    expect(toReaction(await rest(AbortSignal.abort()))).toEqual({ context: 'in its place' })
    expect(begun).toBe(false)
  })

  it('that fails is a fault, and its place is taken', async () => {
    const faults: unknown[] = []
    const failing = later(() => Promise.reject(new Error('no network')))
    const throwing = later(() => {
      throw new Error('no model')
    })
    const { rest } = await react([failing, throwing], toolRequest, context, (_by, cause) =>
      faults.push(cause),
    )
    expect(toReaction(await rest(nobody))).toEqual({ context: 'in its place' })
    expect(faults.map(String).sort()).toEqual(['Error: no model', 'Error: no network'])
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e12])(
    'never rejects, given %d ms',
    async withinMs => {
      const { rest } = await react([later(async () => ({}), withinMs)], toolRequest, context, noFault)
      await expect(rest(nobody)).resolves.toBeDefined()
    },
  )

  it('that has arrived leaves no timer behind, so that nothing of the call stays in memory', async () => {
    vi.useFakeTimers()
    try {
      const timeout = vi.spyOn(AbortSignal, 'timeout')
      const reactors = [later(async () => ({ notice: 'done' }), 7_200_000), later(() => Promise.reject(1))]
      const { rest } = await react(reactors, toolRequest, context, () => {})
      await rest(nobody)
      expect(vi.getTimerCount()).toBe(0)
      // Fake timers do not see those of the platform.
      expect(timeout).not.toHaveBeenCalled()
    } finally {
      vi.restoreAllMocks()
      vi.useRealTimers()
    }
  })

  it('of several reactors are awaited together, so that the slowest sets the time', async () => {
    const { promise: first, resolve: letFirstGo } = Promise.withResolvers<void>()
    const waits = later(() => first.then(() => ({ notice: 'first' })))
    const frees = later(async () => {
      letFirstGo()
      return { notice: 'second' }
    })
    const { rest } = await react([waits, frees], toolRequest, context, noFault)
    expect(toReaction(await rest(nobody)).notice).toBe('first\nsecond')
  })
})
