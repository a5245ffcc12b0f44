import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostAgent } from '../../../src/adapters/acp/backend.ts'
import { scratch } from '../../world/scratch.ts'

const program = join(import.meta.dirname, '../../world/agents/acp-agent.ts')

test('a conversation that is refused is not opened, and the one before stays; the end of the program is reported before close returns', async () => {
  const folder = scratch()
  onTestFinished(folder.remove)
  const seen: string[] = []
  const backend = await hostAgent({
    agent: 'opencode',
    launch: { program: process.execPath, args: [program] },
    cwd: folder.path,
    env: { PATH: process.env.PATH, ACP_LOADS: '1' },
    consent: async () => 'deny',
    async began({ nativeSession, pid }) {
      if (nativeSession === 'of-another-session') throw new Error('not its own')
      seen.push(`${nativeSession} of ${pid === backend.pid}`)
    },
    async ended() {
      seen.push('ended')
    },
  })
  const own = await backend.begin()
  expect(await backend.resume('of-another-session')).toBe(false)
  expect(backend.nativeSession).toBe(own)
  expect(await backend.prompt('say hello')).toBe('ended')
  await backend.close()
  expect(seen).toEqual([`${own} of true`, 'ended'])
})
