import { expect, it } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { type RevivalParts, reviveHosted } from '../../src/compose/revive-hosted.ts'
import { Pauses } from '../../src/session/pauses.ts'
import { aSession } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

it('A hosted session whose turn was interrupted continues only after the pause', async () => {
  await using folder = scratch()
  const pauses = await Pauses.load(systemSmallFiles, folder.path)
  await pauses.add({ scope: 'project', project: '/p', since: '2026-01-01T00:00:00.000Z' })
  const typed: string[] = []
  const place = 'hosted 1'
  const parts: RevivalParts = {
    drivers: {
      revive: async () => [
        { place, agent: 'claude-code', nativeSession: 'n1', how: 'resumed', working: true },
      ],
      at: () => ({ type: async (_: string, text: string) => void typed.push(text) }) as never,
    } as unknown as RevivalParts['drivers'],
    sessions: { revived: async () => {} } as unknown as RevivalParts['sessions'],
    cycles: undefined,
    intake: { handleEvent: () => expect.fail('no event') },
    session: async () => aSession(1, { project: '/p' }),
    asks: { tell: async () => {} },
    pauses,
    fault: (during, cause) => expect.fail(`${during}: ${cause}`),
  }
  await reviveHosted(parts)
  expect(typed).toEqual([])
  await pauses.remove(() => true)
  await until(() => typed.length === 1, { what: 'the prompt' })
  expect(typed[0]).toContain('continue where you stopped')
  await reviveHosted(parts)
  expect(typed).toHaveLength(2)
})
