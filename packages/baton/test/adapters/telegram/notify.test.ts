import { expect, test } from 'vitest'
import { telegramWorld } from './world.ts'

test('news reach the chat as plain text', async () => {
  await using world = await telegramWorld()
  const asks = await world.begin()
  await asks.tell({ project: '/p', text: '✅ issue-to-impl #42 complete: <b>&\nhttps://example.com/pull/1' })
  const message = await world.telegram.message(({ text }) => text.includes('#42 complete: <b>&'))
  expect(message.text).toContain('https://example.com/pull/1')
})

test('nobody is told where Telegram is switched off', async () => {
  await using world = await telegramWorld()
  world.config.enabled = false
  const asks = await world.begin()
  await asks.tell({ project: '/p', text: 'silence' })
  expect(world.telegram.messages()).toEqual([])
  expect(world.world.faults).toEqual([])
})
