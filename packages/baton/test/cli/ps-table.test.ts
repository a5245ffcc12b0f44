import { PsRow } from '@batonpass/contract/watch'
import { expect, it } from 'vitest'
import { ago } from '../../src/cli/for-people.ts'
import { bar, psTable } from '../../src/cli/ps-table.ts'
import { at } from '../world/journal.ts'

const row = (parts: object = {}): PsRow =>
  PsRow.parse({
    id: '3f2a91c0-aaaa',
    by: 'hooks',
    agent: 'claude-code',
    state: 'working',
    project: '/home/dev/shop',
    startedAt: at(0),
    lastActivityAt: at(0),
    problems: [],
    ...parts,
  })
const look = {
  now: Date.parse(at(75)),
  columns: 160,
  home: '/home/dev',
  colour: (_: string, text: string) => text,
}

it('The table shows context, zone, forecast, workflow and the last sign of life', () => {
  const lines = psTable(
    [
      row({
        context: { used: 164_000, size: 200_000, percent: 82, zone: 'warn', turnsLeft: 3 },
        workflow: { name: 'issue-to-impl', issue: 42, count: 3 },
      }),
      row({
        title: 'shop-ab12',
        state: 'dialog',
        problems: [{ check: 'errors', status: 'warning', message: 'fatal: \x1b[31m no' }],
      }),
    ],
    look,
  )
  expect(lines).toEqual([
    'SESSION    AGENT   STATE    CONTEXT              LEFT      WORKFLOW               ACTIVE  PROJECT',
    '3f2a91c0   claude  working  ████████░░ 82% warn  ~3 turns  issue-to-impl #42 (3)  1m      ~/shop',
    'shop-ab12  claude  asks     –                    –         –                      1m      ~/shop',
    '  errors: fatal: \\x1b[31m no',
  ])
})

it('A narrow terminal cuts lines instead of wrapping them', () => {
  for (const columns of [20, 40, 80])
    for (const line of psTable([row()], { ...look, columns }))
      expect(line.length).toBeLessThanOrEqual(columns)
})

it('Bars and ages are short', () => {
  expect([0, 4, 85, 100, 400].map(bar)).toEqual([
    '░'.repeat(10),
    '░'.repeat(10),
    `${'█'.repeat(9)}░`,
    '█'.repeat(10),
    '█'.repeat(10),
  ])
  expect([-5, 59_000, 61_000, 7_200_000, 3 * 86_400_000].map(ago)).toEqual(['0s', '59s', '1m', '2h', '3d'])
})
