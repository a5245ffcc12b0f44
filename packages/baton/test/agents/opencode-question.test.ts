import { expect, test } from 'vitest'
import { opencode } from '../world/agents/opencode.ts'
import { textOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

const question = (text: string, multiple = false) => ({
  question: text,
  header: 'Choice',
  multiple,
  options: [
    { label: 'Postgres (Recommended)', description: 'Shared by several machines' },
    { label: 'SQLite', description: 'One file' },
  ],
})
const RULES = 'permission:\n  preset: trusting\n  undo: false\n'

test('what the real opencode asks is answered at another terminal, or on its own screen', {
  timeout: 480_000,
}, async () => {
  await using world = await startedInTmux(opencode, {
    rules: RULES,
    prompt: 'ask me',
    answers({ toolResults }) {
      if (toolResults.length === 0)
        return call('question', { questions: [question('Which database?'), question('Which others?', true)] })
      if (toolResults.length === 1) return call('question', { questions: [question('Which cache?')] })
      return say('All is asked.')
    },
  })
  const { baton, model, screen, press, evidence } = world
  const patience = { timeout: 240_000, every: 300, evidence }
  const asks = () => baton.asks({ all: true })
  const open = (words: string) =>
    until(
      async () => (await asks()).find(({ state, detail }) => state === 'open' && detail.includes(words)),
      {
        what: `an open ask with ${words}`,
        ...patience,
      },
    )
  const requests = () => model.requests.map(textOf).join('\n')

  const first = await open('Which database?')
  await until(() => screen().includes('Which database?'), { what: 'its own dialog', ...patience })
  expect(first.detail).toContain('1. Postgres (recommended): Shared by several machines')
  await asPerson(baton, 'answer', first.id, '2', '1,in memory')
  const second = await open('Which cache?')
  expect(requests()).toMatch(/Which database\?\W+SQLite/)

  await until(() => /Which cache\?/.test(screen()), { what: 'the second dialog', ...patience })
  await until(
    async () => {
      press('Enter')
      return await until(() => screen().includes('All is asked.'), {
        what: 'the end',
        timeout: 3_000,
      }).catch(() => undefined)
    },
    { what: 'the dialog to take the highlighted choice', ...patience },
  )
  expect(requests()).toMatch(/Which cache\?\W+Postgres/)
  const settled = await until(
    async () => (await asks()).find(({ id, state }) => id === second.id && state !== 'open'),
    { what: 'the second ask to be withdrawn', ...patience },
  )
  expect(settled.withdrawn).toBe('settled-elsewhere')
})
