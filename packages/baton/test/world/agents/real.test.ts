import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModel } from '../model.ts'
import { say } from '../turn.ts'
import { codex } from './codex.ts'
import { pi } from './pi.ts'
import { agentHome, type RealAgent } from './real.ts'

test.each<RealAgent>([codex, pi])(
  '$name runs a command and ends, with nothing but the fake model',
  async agent => {
    await using model = await startModel([agent.dialect])
    await using home = await agentHome(agent, model)
    model.script({ key: home.key }, [agent.shell('echo hi > out.txt'), say('all done')])

    const run = await home.run({ prompt: 'Say hi' })

    expect(run.exitCode).toBe(0)
    expect(run.stdout).toContain('all done')
    expect(existsSync(join(home.project, 'out.txt'))).toBe(true)
    model.assertPlayed()
  },
  60_000,
)
