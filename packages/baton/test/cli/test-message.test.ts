import { expect, test } from 'vitest'
import { triedText } from '../../src/cli/commands/setup.ts'

test('a test message that no channel took names every possible cause, not only the log of faults', () => {
  expect(triedText(['telegram', 'desktop'])).toBe('Sent by telegram, desktop.\n')
  for (const cause of ['baton doctor', 'notify.about', 'notify.quiet_hours', 'baton logs --kind fault'])
    expect(triedText([])).toContain(cause)
})
