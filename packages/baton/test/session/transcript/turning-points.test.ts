import { expect, it } from 'vitest'
import type { TranscriptItem } from '../../../src/ports/transcript.ts'
import { SessionFactCollector } from '../../../src/session/transcript/session-facts.ts'

let n = 0
const say = (text: string): TranscriptItem => ({ kind: 'reply', id: `m${++n}`, text })
const run = (command: string, failed = false): TranscriptItem[] => {
  const id = `t${++n}`
  return [
    { kind: 'call', id, tool: 'Bash', action: { kind: 'shell', command } },
    { kind: 'result', id, failed, text: '' },
  ]
}
const edit = (path: string): TranscriptItem => ({
  kind: 'call',
  id: `t${++n}`,
  tool: 'Edit',
  action: { kind: 'write', paths: [path] },
})
const factsOf = (...items: (TranscriptItem | TranscriptItem[])[]) => {
  const facts = new SessionFactCollector()
  for (const item of items.flat()) facts.addItem(item)
  const { decisions, deadEnds, said } = facts.result()
  return { decisions, deadEnds, said }
}
// Sentences without a word that the lists of passages.ts know.
const [PLAIN, OTHER, WHY] = [
  'Puskuri tyhjenee vasta kun yhteys palaa takaisin.',
  'Laitan jonon levylle ja luen sen sieltä uudestaan.',
  'Kirjasto lukitsee koko taulun joka kirjoituksella.',
]

it('A message before another way after a failure is a decision, in any language', () => {
  expect(factsOf(say(PLAIN), run('npm test', true), say(OTHER), edit('src/queue.ts'))).toEqual({
    decisions: [OTHER],
    deadEnds: [],
    said: [PLAIN],
  })
})

it('A message next to undone work is a dead end, and so is what was undone', () => {
  expect(factsOf(run('npm test', true), say(WHY), run('git restore src/queue.ts'), say(OTHER))).toEqual({
    decisions: [],
    deadEnds: [WHY, OTHER, 'Undone with `git restore src/queue.ts` after `npm test` failed'],
    said: [],
  })
  expect(factsOf(say(WHY), run('npm uninstall better-queue')).deadEnds).toEqual([
    WHY,
    'Undone with `npm uninstall better-queue`',
  ])
})

it('What the agent says after the user rejected a call is a dead end', () => {
  const rejection: TranscriptItem = { kind: 'prompt', text: 'ei näin', to: 'tool' }
  expect(factsOf(edit('a.ts'), rejection, say(WHY)).deadEnds).toEqual([WHY])
})

it.each([
  ['a failure that is only repeated', [...run('npm test', true), say(PLAIN), ...run('npm test')]],
  ['a look around after a failure', [...run('npm test', true), say(PLAIN), ...run('cat src/queue.ts')]],
  [
    'moving to another branch',
    [say(PLAIN), ...run('git checkout main'), ...run('git restore --staged a.ts')],
  ],
  ['an attempt to undo that failed', [say(PLAIN), ...run('git restore nothing.ts', true)]],
])('%s is no change of direction', (_, items) => {
  expect(factsOf(items)).toEqual({ decisions: [], deadEnds: [], said: [PLAIN] })
})
