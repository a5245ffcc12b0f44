import type { AskedQuestion } from '@batonpass/contract/question'
import { expect, it } from 'vitest'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import { askWorld, sampleQuestion } from '../ask/sample.ts'
import { settled } from '../world/time.ts'

const COUNT = 1000
const never = { signal: new AbortController().signal, withinMs: 60_000, unreached: 'wait' } as const
const question: AskedQuestion = {
  id: 'which',
  kind: 'choice',
  text: 'Which?',
  choices: [
    { value: 'a', label: 'A' },
    { value: 'b', label: 'B' },
  ],
}

/** The same cuts in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

it('1,000 asks are each answered exactly once, although the network between page and daemon is cut all the time', {
  timeout: 240_000,
}, async () => {
  await using world = await askWorld()
  const asks = await world.begin()
  const app = askRoutes(asks, async () => ({ channel: 'dashboard', who: 'ann' }))
  const next = randomNumbers(7)
  const waiting = Array.from({ length: COUNT }, (_, index) =>
    asks.ask(sampleQuestion(`ask${index}`, { kind: 'question', detail: '', questions: [question] }), never),
  )
  await settled()
  const open = asks.open()
  expect(open).toHaveLength(COUNT)

  /** One answer of a page: the request or the response may be lost, and the page tries again until it knows. */
  const answerFromPage = async (
    id: string,
    fingerprint: string,
    choice: string,
  ): Promise<'counted' | 'closed'> => {
    const body = JSON.stringify({
      option: 'reply',
      replies: [{ question: 'which', chosen: [choice] }],
      fingerprint,
    })
    for (;;) {
      if (next() < 0.3) continue
      const response = await app.request(`/api/asks/${id}/answer`, { method: 'POST', body })
      if (next() < 0.3) continue
      if (response.status === 200) return 'counted'
      const { error } = (await response.json()) as { error: { code: string } }
      expect(error.code).toBe('ask_closed')
      return 'closed'
    }
  }
  // Two pages answer every ask differently at the same time.
  await Promise.all(
    open.flatMap(({ id, fingerprint }) => [
      answerFromPage(id, fingerprint, 'a'),
      answerFromPage(id, fingerprint, 'b'),
    ]),
  )

  const outcomes = await Promise.all(waiting)
  const stored = new Map((await asks.recent(COUNT)).map(ask => [ask.id, ask]))
  expect(asks.open()).toEqual([])
  expect(stored.size).toBe(COUNT)
  for (const { ask, result } of outcomes) {
    expect(result).toBe('answered')
    // What the agent received is what is stored, and it is one of the two.
    expect(stored.get(ask.id)?.answer).toEqual(ask.answer)
    expect(['a', 'b']).toContain(ask.answer?.replies?.[0]?.chosen?.[0])
  }
  const answered = world.entries.flatMap(({ body }) =>
    body.kind === 'ask' && body.what === 'answered' ? body.ask : [],
  )
  expect(answered).toHaveLength(COUNT)
  expect(new Set(answered).size).toBe(COUNT)
})
