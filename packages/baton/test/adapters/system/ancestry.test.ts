import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { parsePs, parseStat, systemAncestry } from '../../../src/adapters/system/ancestry.ts'
import { isAgent } from '../../../src/ask/refuse-agents.ts'
import { scratch } from '../../world/scratch.ts'

describe('the ancestors of a process', () => {
  it('are found up to the first one, with their command lines', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    try {
      const chain = await systemAncestry.of(child.pid ?? 0)
      expect(chain?.[0]).toMatchObject({
        pid: child.pid,
        words: [process.execPath, '-e', 'process.stdin.resume()'],
      })
      expect(chain?.[1]?.pid).toBe(process.pid)
      expect(chain?.length).toBeGreaterThan(2)
    } finally {
      child.stdin.end()
      await once(child, 'exit')
    }
  })

  it('show an agent above a child of its child', async () => {
    await using dir = scratch()
    const fake = dir.write('claude', '#!/bin/sh\nsh -c \'sh -c "echo \\$\\$; read x"; :\'; :\n', 0o755)
    const agent = spawn(fake, [], { stdio: ['pipe', 'pipe', 'ignore'] })
    try {
      const [line] = await once(agent.stdout, 'data')
      const chain = await systemAncestry.of(Number(String(line)))
      expect(chain?.find(isAgent)?.pid).toBe(agent.pid)
    } finally {
      agent.stdin.end()
      await once(agent, 'exit')
    }
  })

  it('cannot be told of a process that is not there', async () => {
    expect(await systemAncestry.of(2 ** 30)).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('prove who holds a file open', async () => {
    await using dir = scratch()
    const path = dir.write('proof', '')
    const child = spawn('sh', ['-c', 'exec 9<"$0"; echo ok; read x', path], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    try {
      await once(child.stdout, 'data')
      expect(await systemAncestry.holds(child.pid ?? 0, path)).toBe(true)
      expect(await systemAncestry.holds(process.pid, path)).toBe(false)
      expect(await systemAncestry.holds(child.pid ?? 0, `${path}-absent`)).toBe(false)
    } finally {
      child.stdin.end()
      await once(child, 'exit')
    }
  })

  it('are read from lines that try to mislead', () => {
    expect(parseStat('77 (a) S 1 (x) S 42 77 77 34816 77 0')).toEqual({
      parent: 42,
      terminal: true,
      name: 'a) S 1 (x',
    })
    expect(parseStat('77 (sh) S 42 77 77 0 -1').terminal).toBe(false)
    expect(() => parseStat('nonsense')).toThrow()
    expect(parsePs('  501 ttys003  /bin/zsh -l\n')).toEqual({
      parent: 501,
      terminal: true,
      command: '/bin/zsh -l',
    })
    expect(parsePs('    1 ??       /sbin/launchd').terminal).toBe(false)
  })
})
