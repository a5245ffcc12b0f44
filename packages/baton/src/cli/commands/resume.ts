import { spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import { launchesOf } from '../../adapters/agents/launches.ts'
import type { Run } from '../../work/workflows/run.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { workflowsHere } from '../local-workflows.ts'

/** How a person takes a session over: prints the agent's own command, or runs it. */
export const resume: Handler = async (given, io) => {
  const run = await workflowsHere(io).actions.find(given.positionals[0] ?? '')
  const [program, ...args] = resumeCommand(run)
  if (!flag(given, 'run')) {
    const command = [program, ...args].join(' ')
    io.stdout.write(
      flag(given, 'json')
        ? `${JSON.stringify({ session: run.nativeSession, project: run.project, command: [program, ...args] })}\n`
        : `cd ${quoted(run.project)} && ${command}\n`,
    )
    return EXIT.ok
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: run.project, env: io.env, stdio: 'inherit' })
    child.once('error', cause =>
      reject(
        new BatonError('missing_tool', `${program} cannot be started`, {
          remedy: `Is ${program} on your PATH?`,
          cause,
        }),
      ),
    )
    child.once('close', code => resolve(code ?? EXIT.failed))
  })
}

/** The agent's own command for resuming a session. */
function resumeCommand({
  agent,
  nativeSession,
}: Pick<Run, 'agent' | 'nativeSession'>): [string, ...string[]] {
  const { program, args } = launchesOf(agent).interactive({ resume: nativeSession })
  return [program, ...args]
}

const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
