import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claudeTranscripts } from '../../../src/adapters/agents/claude-code/transcript.ts'
import { scratch } from '../../world/scratch.ts'

const reply = (id: string, output: number, text = 'hi') =>
  `${JSON.stringify({ type: 'assistant', message: { id, model: 'claude-opus-5-5', content: [{ type: 'text', text }], usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 5 } } })}\n`

it('Usage is read on from where the last reading ended, each reply once', async () => {
  await using folder = scratch()
  const path = folder.write('t.jsonl', reply('before', 99))
  const start = await claudeTranscripts.usage(path, undefined)
  expect(start?.replies).toEqual([])
  appendFileSync(path, reply('a', 1) + reply('a', 7) + reply('b', 2))
  const first = await claudeTranscripts.usage(path, start?.reading)
  expect(first?.replies.map(each => each.output)).toEqual([7, 2])
  appendFileSync(path, `${reply('b', 2)}${reply('c', 4)}{"type":"assistant","mess`)
  const second = await claudeTranscripts.usage(path, first?.reading)
  expect(second?.replies).toEqual([
    { model: 'claude-opus-5-5', input: 10, output: 4, cacheRead: 5, cacheWrite: 0 },
  ])
  const third = await claudeTranscripts.usage(path, second?.reading)
  expect(third?.replies).toEqual([])
})

it('A missing transcript, a folder or garbage is not a failure', async () => {
  await using folder = scratch()
  expect(await claudeTranscripts.usage(join(folder.path, 'none'), { offset: 0 })).toBeUndefined()
  expect(await claudeTranscripts.tail(folder.path, 100)).toBeUndefined()
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async text => {
      const path = folder.write(
        'g.jsonl',
        `{"type":"assistant","message":${text}\n${text}\n{"message":{"usage":5}}\n`,
      )
      await claudeTranscripts.usage(path, { offset: 0 })
      await claudeTranscripts.tail(path, 1000)
    }),
    { numRuns: 50 },
  )
})

it('The end of the conversation tells who said what, and an error of the service', async () => {
  await using folder = scratch()
  const user = `${JSON.stringify({ type: 'user', message: { content: 'please' } })}\n`
  const path = folder.write('t.jsonl', user + reply('a', 1, 'working'))
  expect(await claudeTranscripts.tail(path, 1000)).toEqual({
    text: 'user: please\nassistant: working',
    error: undefined,
  })
  appendFileSync(
    path,
    `${JSON.stringify({ type: 'assistant', isApiErrorMessage: true, message: { content: [{ type: 'text', text: 'Credit balance is too low' }] } })}\n`,
  )
  expect((await claudeTranscripts.tail(path, 1000))?.error).toContain('Credit balance')
})
