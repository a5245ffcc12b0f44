import { PsRow } from '@batonpass/contract/watch'
import xterm from '@xterm/headless'
import { expect, it } from 'vitest'
import type { paint } from '../../src/cli/io.ts'
import { psTable } from '../../src/cli/ps-table.ts'
import { at } from '../world/journal.ts'

const row = (parts: object): PsRow =>
  PsRow.parse({
    by: 'hooks',
    agent: 'claude-code',
    state: 'working',
    project: '/home/dev/work/shop',
    startedAt: at(0),
    lastActivityAt: at(0),
    problems: [],
    ...parts,
  })

const ROWS = [
  row({
    id: '3f2a91c0-aaaa-4bbb-8ccc-dddddddddddd',
    name: '#42 Apply discount codes in the cart',
    context: { used: 164_000, size: 200_000, percent: 82, zone: 'warn', turnsLeft: 1 },
    workflow: { name: 'issue-to-impl', issue: 42, count: 3 },
  }),
  row({
    id: '77aa0b1c-aaaa-4bbb-8ccc-dddddddddddd',
    title: 'shop-ab12',
    name: 'Please rewrite the billing service in Rust, and keep every…',
    state: 'dialog',
    agent: 'codex',
    problems: [{ check: 'errors', status: 'warning', message: 'fatal: no such ref in this repository' }],
  }),
  row({ id: '90dd7e21-aaaa-4bbb-8ccc-dddddddddddd', state: 'ended', project: '/srv/a/long/path/to/project' }),
]

/** What a person sees: the output on a real terminal emulator. */
async function screen(lines: readonly string[], columns: number): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 20, allowProposedApi: true })
  await new Promise<void>(resolve => terminal.write(lines.join('\r\n'), resolve))
  const shown = Array.from(
    { length: 20 },
    (_, y) => terminal.buffer.active.getLine(y)?.translateToString(true) ?? '',
  )
  terminal.dispose()
  return shown.join('\n').trimEnd().split('\n')
}

it.each([60, 80, 120])('baton ps at %i columns shows one line for each session', async columns => {
  const colour: ReturnType<typeof paint> = (_, text) => `\x1b[33m${text}\x1b[0m`
  const look = { now: Date.parse(at(75)), columns, home: '/home/dev', colour }
  const shown = await screen(psTable(ROWS, look), columns)
  // A heading, three sessions and one problem: nothing was wrapped.
  expect(shown).toHaveLength(5)
  await expect(`${shown.join('\n')}\n`).toMatchFileSnapshot(`screens/ps-${columns}.txt`)
})
