import { Config } from '@batonpass/contract/config'
import fc from 'fast-check'
import {
  CONTINUE_RANKS,
  type ContinueRequest,
  type Contribution,
  REACTORS,
  type ReactorName,
} from '../../src/ports/contribution.ts'
import type { ReactionContext, Reactor } from '../../src/ports/reactor.ts'
import { aSession } from '../world/journal.ts'

const words = fc.constantFrom('a', 'b', 'one more thing', 'two\nlines', 'ünïcödé', '{"json":1}', '')
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const anyGoing: fc.Arbitrary<ContinueRequest> = fc.oneof(
  fc.record({ rank: fc.constantFrom(...CONTINUE_RANKS), stop: words }),
  fc
    .record({
      rank: fc.constantFrom(...CONTINUE_RANKS),
      prompt: fc.constantFrom('go on', 'fix it', 'tests'),
      note: some(words),
    })
    .map(({ note, ...going }) => (note === undefined ? going : { ...going, note })),
)

const anyContribution: fc.Arbitrary<Contribution> = fc
  .record({
    permission: some(fc.record({ decision: fc.constantFrom('allow', 'deny', 'ask'), reason: words })),
    continuation: some(anyGoing),
    refuse: some(fc.record({ reason: words })),
    context: some(words),
    notice: some(words),
  })
  .map(parts => Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)))

const anyReactor: fc.Arbitrary<ReactorName> = fc.constantFrom(...REACTORS)
export const anySaid = fc.record({ by: anyReactor, what: anyContribution })

export const context: ReactionContext = {
  session: aSession(1),
  project: '/home/dev/project',
  config: Config.parse({}),
  now: Date.UTC(2026, 0, 1),
}

export const reactorSaying = (name: ReactorName, now: Contribution): Reactor => ({
  name,
  react: () => ({ now }),
})
