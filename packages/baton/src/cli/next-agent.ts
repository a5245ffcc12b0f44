import { spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import { LAUNCHABLE, launchesOf } from '../adapters/agents/launches.ts'
import { onPath } from '../adapters/system/on-path.ts'
import type { Launches } from '../ports/launch.ts'
import { EXIT } from './command.ts'
import type { Io } from './io.ts'

const GO_ON = 'Go on with the work from there: begin with the first of the next steps.'

/** The agent that is to go on; `missing_tool` when it is not installed, before anything is written. */
export function nextAgent(name: string, io: Io): Launches {
  const launches = launchesOf(name)
  const { program } = launches.interactive({})
  if (onPath(program, io.env)) return launches
  throw new BatonError('missing_tool', `${program} is not installed, or not on PATH`, {
    remedy: `Install it, or name another agent: ${LAUNCHABLE.join(', ')}.`,
  })
}

/** Starts it with the document, at this terminal or for a single turn without one, and waits for its end. */
export function startNext(launches: Launches, context: string, cwd: string, io: Io): Promise<number> {
  const prompt = `${context}\n\n${GO_ON}`
  const terminal = process.stdin.isTTY && process.stdout.isTTY
  const { program, args, env } = terminal ? launches.interactive({ prompt }) : launches.headless({ prompt })
  return new Promise((resolve, reject) => {
    // Its signals are its own: it shares the terminal with us.
    const child = spawn(program, args, {
      cwd,
      env: { ...io.env, ...env },
      stdio: terminal ? 'inherit' : ['ignore', 'inherit', 'inherit'],
    })
    child.once('error', cause =>
      reject(
        new BatonError('missing_tool', `${program} could not be started`, {
          cause,
          remedy: 'Is it installed, and on the PATH? See `baton doctor`.',
        }),
      ),
    )
    child.once('close', code => resolve(code ?? EXIT.failed))
  })
}
