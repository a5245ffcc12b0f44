import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readerOf } from '../../../src/adapters/agents/readers.ts'
import type { Intake } from '../../../src/engine/intake.ts'
import { contextReactor } from '../../../src/session/context/reactor.ts'
import { intakeWorld, prompted } from '../../engine/intake-world.ts'
import { claudeRows } from '../../handoff/sessions.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../fixtures/claude-code/${name}.json`), 'utf8'))
const line = fixture('status-line')
const session = String(line.session_id)
const envelope = { event: 'StatusLine' }

function world() {
  let intake: Intake | undefined
  const reactor = contextReactor({
    readerOf,
    tell: async (agent, event) => intake?.handleEvent(agent, event),
    fault: (during, cause) => expect.fail(`${during}: ${cause}`),
  })
  const made = intakeWorld({ reactors: [reactor] })
  intake = made.intake
  const figure = () =>
    [...made.sessions.values()].find(({ nativeSession }) => nativeSession === session)?.context
  return Object.assign(made, { figure })
}

const filled = (used: number) => ({
  ...line,
  context_window: {
    context_window_size: 200_000,
    current_usage: { input_tokens: used, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    used_percentage: Math.round(used / 2000),
  },
})

describe('a status line', () => {
  it('gives the figure and gets back what to show', async () => {
    const { take, figure } = world()
    expect(await take(line, { envelope })).toBe('{"statusLine":"context 15%"}')
    expect(figure()).toMatchObject({ used: 153_700, size: 1_000_000, percent: 15.3, source: 'status-line' })
  })

  it('is not recorded again while it says the same, and still answered', async () => {
    const { take, events, bodies, figure } = world()
    for (const used of [100_000, 100_100, 100_900, 100_200, 103_000]) {
      expect(await take(filled(used), { envelope })).toContain('"statusLine":"context 5')
    }
    expect(events().map(event => event.type === 'ContextMeasured' && event.used)).toEqual([100_000, 103_000])
    expect(bodies('reaction')).toEqual([])
    // The newest figure is at hand although it was not worth a line in the journal.
    await take(filled(103_100), { envelope })
    expect(figure()?.used).toBe(103_100)
  })

  it('without a figure says nothing', async () => {
    const { take, journal } = world()
    expect(await take(fixture('status-line.before-first-reply'), { envelope })).toBe('{}')
    expect(journal).toEqual([])
  })
})

describe('an agent whose context fills up', () => {
  it('is advised once when it enters the zone', async () => {
    const { take } = world()
    await take(filled(150_000), { envelope })
    expect(await take(prompted(session, 'go on'))).toContain('your context window is 75% full')
    expect(await take(prompted(session, 'and on'))).toBe('{}')
    await take(filled(151_000), { envelope })
    expect(await take(prompted(session, 'and on'))).toBe('{}')
  })

  it('is measured by its transcript where no status line tells', async () => {
    const folder = scratch()
    const transcript_path = join(folder.path, 'a.jsonl')
    writeFileSync(
      transcript_path,
      `${claudeRows([{ prompt: 'hi' }, { say: 'ho' }], { usage: 599_000 }).join('\n')}\n`,
    )
    const { take, figure } = world()
    const stop = { hook_event_name: 'Stop', session_id: session, cwd: '/p', transcript_path }
    await take({ ...stop, stop_hook_active: false })
    await until(() => figure(), { what: 'a figure' })
    expect(figure()).toMatchObject({ percent: 59.9, source: 'transcript', sizeFrom: 'table', zone: 'note' })
    folder.remove()
  })
})
