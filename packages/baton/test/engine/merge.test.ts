import { Reaction } from '@batonpass/contract/reaction'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contribute, contributors, type Merged, merge, NOTHING, toReaction } from '../../src/engine/merge.ts'
import {
  CONTINUE_RANKS,
  type Contribution,
  REACTORS,
  type ReactorName,
} from '../../src/ports/contribution.ts'
import { anySaid } from './sample.ts'

type Said = { by: ReactorName; what: Contribution }
const mergedOf = (said: readonly Said[]): Merged =>
  said.map(({ by, what }) => contribute(by, what)).reduce(merge, NOTHING)
const reactionOf = (...said: readonly Said[]) => toReaction(mergedOf(said))
const anyMerged = fc.array(anySaid, { maxLength: 6 }).map(mergedOf)
const goings = (said: readonly Said[]) => said.flatMap(({ what }) => what.continuation ?? [])
const rankOf = (going: { rank: (typeof CONTINUE_RANKS)[number] }) => CONTINUE_RANKS.indexOf(going.rank)

describe('merge', () => {
  it('is associative', () => {
    fc.assert(
      fc.property(anyMerged, anyMerged, anyMerged, (a, b, c) => {
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
      }),
    )
  })

  it('does not depend on who speaks first', () => {
    fc.assert(
      fc.property(anyMerged, anyMerged, (a, b) => {
        expect(merge(a, b)).toEqual(merge(b, a))
      }),
    )
  })

  it('hears the same thing twice as once', () => {
    fc.assert(
      fc.property(anyMerged, a => {
        expect(merge(a, a)).toEqual(a)
        expect(merge(a, NOTHING)).toEqual(a)
      }),
    )
  })

  it('gives the same reaction for every order of arrival', () => {
    const shuffled = fc
      .array(anySaid, { maxLength: 7 })
      .chain(said => fc.tuple(fc.constant(said), fc.shuffledSubarray(said, { minLength: said.length })))
    fc.assert(
      fc.property(shuffled, ([said, other]) => {
        expect(reactionOf(...other)).toEqual(reactionOf(...said))
      }),
    )
  })
})

describe('permission', () => {
  it('never loses a deny, and prefers asking to allowing', () => {
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 7 }), said => {
        const decisions = said.flatMap(({ what }) => what.permission?.decision ?? [])
        const strictest = ['deny', 'ask', 'allow'].find(decision => decisions.some(one => one === decision))
        expect(reactionOf(...said).permission?.decision).toBe(strictest)
      }),
    )
  })

  it('gives every reason of the decision that won, and none of those that lost', () => {
    const { permission } = reactionOf(
      { by: 'workflow', what: { permission: { decision: 'deny', reason: 'frozen' } } },
      { by: 'permission', what: { permission: { decision: 'deny', reason: 'outside the project' } } },
      { by: 'claim', what: { permission: { decision: 'allow', reason: 'claimed' } } },
    )
    expect(permission).toEqual({ decision: 'deny', reason: 'outside the project; frozen' })
  })
})

describe('continuations', () => {
  it('sends exactly one prompt: the strongest wish decides alone', () => {
    fc.assert(
      fc.property(fc.array(anySaid, { minLength: 1, maxLength: 7 }), said => {
        const wishes = goings(said)
        const best = Math.min(...wishes.map(rankOf))
        const winners = wishes.filter(wish => rankOf(wish) === best)
        const { goOn } = reactionOf(...said)
        if (winners.length === 0 || winners.some(wish => 'stop' in wish)) expect(goOn).toBeUndefined()
        else {
          const [first] = goOn?.prompt.split('\n') ?? []
          expect(winners.map(wish => 'prompt' in wish && wish.prompt)).toContain(first)
        }
      }),
    )
  })

  it('leaves of those that lose at most a line each, under the prompt', () => {
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 7 }), said => {
        const { goOn } = reactionOf(...said)
        if (!goOn) return
        const [, ...under] = goOn.prompt.split('\n')
        const notes = goings(said).filter(wish => 'prompt' in wish && wish.note)
        expect(under.every(line => line.startsWith('- '))).toBe(true)
        expect(under.length).toBeLessThan(Math.max(1, goings(said).length))
        expect(under.length).toBeLessThanOrEqual(notes.length)
      }),
    )
  })

  it("lets a person's stop beat everything, and tells the person why it stopped", () => {
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 6 }), said => {
        const stop: Said = {
          by: 'session',
          what: { continuation: { rank: 'person', stop: 'you said stop' } },
        }
        const calm = said.filter(
          ({ what }) => !(what.continuation?.rank === 'person' && 'stop' in what.continuation),
        )
        const reaction = reactionOf(...calm, stop)
        expect(reaction.goOn).toBeUndefined()
        expect(reaction.notice).toContain('you said stop')
      }),
    )
  })

  it('ranks a person, a limit, a cycle, a claim, a stage and a workflow in this order', () => {
    const going = (rank: (typeof CONTINUE_RANKS)[number]): Said => ({
      by: 'workflow',
      what: { continuation: { rank, prompt: rank, note: `${rank} waits` } },
    })
    for (const [i, rank] of CONTINUE_RANKS.entries()) {
      const weaker = CONTINUE_RANKS.slice(i + 1)
      const prompt = [rank, ...weaker.map(name => `- ${name} waits`)].join('\n')
      expect(reactionOf(...weaker.map(going), going(rank)).goOn).toEqual({ prompt })
    }
  })
})

describe('what is told', () => {
  it("joins contexts in the reactors' fixed order", () => {
    const said = REACTORS.map(by => ({ by, what: { context: `from ${by}` } }))
    const joined = REACTORS.map(by => `from ${by}`).join('\n\n')
    fc.assert(
      fc.property(fc.shuffledSubarray(said, { minLength: said.length }), order => {
        expect(reactionOf(...order).context).toBe(joined)
      }),
    )
  })

  it('is a valid reaction, empty without contributions', () => {
    expect(toReaction(NOTHING)).toEqual({})
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 7 }), said => {
        expect(Reaction.parse(reactionOf(...said))).toEqual(reactionOf(...said))
      }),
    )
  })

  it('names each speaker once, strongest order first', () => {
    fc.assert(
      fc.property(fc.array(anySaid, { maxLength: 7 }), said => {
        const spoke = REACTORS.filter(name => said.some(({ by }) => by === name))
        expect(contributors(mergedOf(said))).toEqual(spoke)
      }),
    )
  })
})
