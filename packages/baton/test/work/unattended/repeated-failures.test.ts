import { Config } from '@batonpass/contract/config'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import type { ReactionContext } from '../../../src/ports/reactor.ts'
import {
  countFailure,
  type Failures,
  repeatedFailures,
} from '../../../src/work/unattended/repeated-failures.ts'
import { aSession, at, eventId } from '../../world/journal.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const MAX = 3

function loopWorld({ max = MAX, job = true }: { max?: number; job?: boolean } = {}) {
  const folder = scratch()
  const ended: string[] = []
  const pressed: string[] = []
  const session = aSession(1, { pane: '%1 /tmp/x' })
  const make = () =>
    repeatedFailures({
      jobOf: async () =>
        job ? { name: 'issue-to-impl #42', end: async reason => void ended.push(reason) } : undefined,
      driverAt: () => ({
        interrupt: async () => {
          pressed.push('Escape')
          return 'interrupted'
        },
      }),
      files: systemSmallFiles,
      stateDir: folder.path,
      fault: (_, cause) => {
        throw cause
      },
    })
  let reactor = make()
  const context = {
    session,
    project: '/p',
    now: 0,
    config: Config.parse({ handsoff: { max_same_failures: max } }),
  } as ReactionContext
  return {
    ended,
    pressed,
    restart: () => {
      reactor = make()
    },
    ran: async (command: string, output: string, failed = true) =>
      reactor.react(
        {
          type: 'ToolFinished',
          id: eventId(1),
          at: at(),
          agent: 'claude-code',
          session: session.id,
          nativeSession: 'n',
          tool: 'Bash',
          input: { command },
          action: { kind: 'shell', command },
          failed,
          response: output,
        } as never,
        context,
      ),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

describe('a command that fails the same way each time', () => {
  it('ends the job with the evidence and interrupts the agent, also if the daemon was killed in between', async () => {
    await using world = loopWorld()
    await world.ran('npm test', 'Exit code 1\n1 failing in 12 ms\nexpected 3, got 4')
    world.restart()
    await world.ran('npm test', 'Exit code 1\n1 failing in 340 ms\nexpected 3, got 4')
    expect(world.ended).toEqual([])
    await world.ran('npm  test', 'Exit code 1\n1 failing in 8 ms\nexpected 3, got 4')
    await until(() => world.pressed.length > 0, { what: 'the end' })
    expect(world.ended).toEqual([
      'the same command failed 3 times with the same result: Bash npm test: Exit code 1 | 1 failing in 8 ms | expected 3, got 4',
    ])
    await world.ran('npm test', 'Exit code 1\n1 failing in 8 ms\nexpected 3, got 4')
    expect(world.ended).toHaveLength(1)
  })

  it.each<[string, (world: ReturnType<typeof loopWorld>) => Promise<unknown>]>([
    ['its result changes', world => world.ran('npm test', 'expected 3, got 5')],
    ['it succeeds in between', world => world.ran('npm test', '', false)],
  ])('counts from the start when %s', async (_, change) => {
    await using world = loopWorld()
    for (let round = 0; round < 4; round++) {
      await world.ran('npm test', 'expected 3, got 4')
      await world.ran('npm test', 'expected 3, got 4')
      await change(world)
    }
    expect(world.ended).toEqual([])
  })

  it('is counted next to other commands, and not together with them', async () => {
    await using world = loopWorld()
    for (let round = 0; round < 2; round++)
      for (const command of ['make a', 'make b', 'make c']) await world.ran(command, 'failed')
    expect(world.ended).toEqual([])
    await world.ran('make b', 'failed')
    await until(() => world.ended.length > 0, { what: 'the end' })
    expect(world.ended[0]).toContain('make b')
  })

  it('does not concern Baton in an attended session, or with the setting 0', async () => {
    for (const options of [{ job: false }, { max: 0 }]) {
      await using world = loopWorld(options)
      for (let round = 0; round < 20; round++) await world.ran('npm test', 'failed')
      expect(world.ended).toEqual([])
      expect(world.pressed).toEqual([])
    }
  })

  it('is remembered for a bounded number of commands', () => {
    let failures: Failures = {}
    for (let n = 0; n < 500; n++)
      failures = countFailure(failures, { command: `make ${n}`, failed: true, output: 'x' }).failures
    expect(Object.keys(failures)).toHaveLength(50)
  })
})
