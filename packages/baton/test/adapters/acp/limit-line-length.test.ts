import { expect, it } from 'vitest'
import { limitLineLength } from '../../../src/adapters/acp/program.ts'

it('any number of lines passes; a line that is too long ends the program', async () => {
  let ended = 0
  const pass = limitLineLength(100, () => ended++)
  const writer = pass.writable.getWriter()
  const reader = pass.readable.getReader()
  const bytes = new TextEncoder()
  for (let n = 0; n < 50; n++) {
    const said = writer.write(bytes.encode(`${'x'.repeat(60)}\n${'y'.repeat(30)}`))
    expect((await reader.read()).value).toHaveLength(91)
    await said
  }
  const [read, written] = [reader.read(), writer.write(bytes.encode('z'.repeat(101)))]
  await expect(read).rejects.toThrow('a line that is too long')
  await written.catch(() => {})
  expect(ended).toBe(1)
})
