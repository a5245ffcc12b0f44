import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { parseStat, readPs, systemAncestry } from '../../../src/adapters/system/ancestry.ts'
import { isAgent } from '../../../src/ask/refuse-agents.ts'
import { scratch } from '../../world/scratch.ts'

describe('the ancestors of a process', () => {
  it('are found up to the first one, with their command lines', async () => {
    const program = 'console.log(1); process.stdin.resume()'
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] })
    try {
      // Until it runs its own program, a new process shows the command line of its parent.
      await once(child.stdout, 'data')
      const chain = await systemAncestry.ancestorsOf(child.pid ?? 0)
      expect(chain?.[0]).toMatchObject({
        pid: child.pid,
        words: [process.execPath, '-e', program],
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
      const chain = await systemAncestry.ancestorsOf(Number(String(line)))
      expect(chain?.find(isAgent)?.pid).toBe(agent.pid)
    } finally {
      agent.stdin.end()
      await once(agent, 'exit')
    }
  })

  it('cannot be told of a process that is not there', async () => {
    expect(await systemAncestry.ancestorsOf(2 ** 30)).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')(
    'know the shell whose terminal session a process is in',
    async () => {
      const child = spawn('sh', ['-c', 'echo ok; read x'], {
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      try {
        await once(child.stdout, 'data')
        const [shell] = (await systemAncestry.ancestorsOf(child.pid ?? 0)) ?? []
        expect(shell).toMatchObject({ sessionLeader: child.pid, terminal: false })
      } finally {
        child.stdin.end()
        await once(child, 'exit')
      }
    },
  )

  it('are read from lines that try to mislead', () => {
    expect(parseStat('77 (a) S 1 (x) S 42 77 77 34816 77 0')).toEqual({
      parent: 42,
      session: 77,
      terminal: true,
      name: 'a) S 1 (x',
    })
    expect(parseStat('77 (sh) S 42 77 77 0 -1').terminal).toBe(false)
    expect(() => parseStat('nonsense')).toThrow()
  })

  it('are read from the tables of ps on macOS, where a program may have spaces in its path', () => {
    const table = readPs(
      [
        '    1     0 ??       /sbin/launchd',
        '  612     1 ??       /System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal',
        '  640   612 ttys003  login -pf ann',
        '  641   640 ttys003  -zsh',
        '  702   641 ttys003  node /Users/ann/My Tools/baton allow ask_3f2a',
        '  810     1 ??       /Users/ann/Library/Application Support/agents/claude --resume',
        'nonsense',
      ].join('\n'),
      '  612 /System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal\n  702 /opt/homebrew/bin/node\n  810 /Users/ann/Library/Application Support/agents/claude\n',
    )
    expect([...table.keys()]).toEqual([1, 612, 640, 641, 702, 810])
    expect(table.get(702)).toEqual({
      parent: 641,
      facts: {
        pid: 702,
        words: ['node', '/Users/ann/My', 'Tools/baton', 'allow', 'ask_3f2a'],
        program: '/opt/homebrew/bin/node',
        terminal: true,
        environment: [],
      },
    })
    expect(table.get(1)).toMatchObject({ parent: 0, facts: { terminal: false, program: undefined } })
    const agent = table.get(810)?.facts
    expect(agent && isAgent(agent)).toBe(true)
  })
})
