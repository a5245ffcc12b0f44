import type { PermissionJudgement } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChainSettings, type NextLink, nextLink } from '../../src/permission/chain.ts'

const anyJudgement: fc.Arbitrary<PermissionJudgement> = fc.record({
  decision: fc.constantFrom('allow', 'deny', 'ask', 'undecided'),
  reason: fc.constant('because'),
  trail: fc.constant([]),
  effects: fc.record({
    reads: fc.constant([]),
    writes: fc.constant([]),
    hosts: fc.constant([]),
    network: fc.boolean(),
    outside: fc.boolean(),
    unknown: fc.constantFrom([], ['a variable']),
  }),
  reversible: fc.boolean(),
  final: fc.boolean(),
  understood: fc.boolean(),
})
const anySettings: fc.Arbitrary<ChainSettings> = fc.record({
  undo: fc.boolean(),
  model: fc.boolean(),
  undecided: fc.constantFrom('ask', 'leave'),
  personOnly: fc.boolean(),
})
const anyTried = fc
  .uniqueArray(fc.constantFrom('undo', 'model') as fc.Arbitrary<NextLink['link']>)
  .map(a => new Set(a))

describe('the chain', () => {
  test('lifts no deny, and lets nothing but a person answer what a rule asks about', () => {
    fc.assert(
      fc.property(anyJudgement, anySettings, anyTried, (judgement, settings, tried) => {
        const next = nextLink(judgement, settings, tried)
        if (judgement.decision === 'deny') expect(next).toEqual({ link: 'decided', decision: 'deny' })
        if (judgement.decision === 'ask') expect(next.link).toBe('person')
        if (judgement.decision === 'allow')
          expect(next).toEqual(
            settings.personOnly ? { link: 'person' } : { link: 'decided', decision: 'allow' },
          )
      }),
    )
  })

  test('shows a model nothing that is only known when it runs, and snapshots only what can be taken back', () => {
    fc.assert(
      fc.property(anyJudgement, anySettings, anyTried, (judgement, settings, tried) => {
        const { link } = nextLink(judgement, settings, tried)
        if (link === 'model')
          expect([judgement.decision, judgement.effects.unknown, settings.model]).toEqual([
            'undecided',
            [],
            true,
          ])
        if (link === 'undo')
          expect([judgement.decision, judgement.reversible, settings.undo]).toEqual(['undecided', true, true])
      }),
    )
  })

  test('ends: each link is tried at most once, undo before model before person', () => {
    fc.assert(
      fc.property(anyJudgement, anySettings, (judgement, settings) => {
        const tried = new Set<NextLink['link']>()
        const way: string[] = []
        for (;;) {
          const { link } = nextLink(judgement, settings, tried)
          way.push(link)
          if (link !== 'undo' && link !== 'model') break
          expect(tried.has(link)).toBe(false)
          tried.add(link)
        }
        const order = ['undo', 'model', 'person', 'defer', 'decided']
        expect(way).toEqual([...way].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
      }),
    )
  })
})
