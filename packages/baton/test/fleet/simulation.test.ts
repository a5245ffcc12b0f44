import { expect, test } from 'vitest'
import { simulate } from '../../../../bench/fleet/simulate.ts'

// `npm run bench:fleet` simulates 1,000 agents and 100,000 issues.
test('machines die, sleep and wake up in virtual time: every issue is merged once or waits for a person', () => {
  const size = { machines: 12, slots: 4, issues: 500, repositories: 60, perRepository: 2 }
  const all = [1, 2, 3].map(seed => simulate({ ...size, seed }))
  for (const figures of all) {
    expect(figures).toMatchObject({ wrong: 0, overLimit: 0, takenFromLiving: 0 })
    expect(figures.merged + figures.parked).toBe(500)
  }
  // It is not a fair-weather run.
  const sum = (of: 'takeovers' | 'fenced' | 'sentBack' | 'parked') => all.reduce((n, each) => n + each[of], 0)
  for (const what of ['takeovers', 'fenced', 'sentBack', 'parked'] as const)
    expect(sum(what), what).toBeGreaterThan(0)
})
