import { spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import { Session } from '@batonpass/contract/session'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'
import { workflowsHere } from '../local-workflows.ts'

/** How a person takes a session over: prints the agent's own command, or runs it. */
export const resume: Handler = async (given, io) => {
  const { agent, nativeSession, project } = await sessionCalled(given.positionals[0] ?? '', io)
  const [program, ...args] = resumeCommand({ agent, nativeSession })
  if (!flag(given, 'run')) {
    const command = [program, ...args].join(' ')
    io.stdout.write(
      flag(given, 'json')
        ? `${JSON.stringify({ session: nativeSession, project, command: [program, ...args] })}\n`
        : `cd ${quoted(project)} && ${command}\n`,
    )
    return EXIT.ok
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: project, env: io.env, stdio: 'inherit' })
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

/** A session of the daemon's list, or without a daemon one with a workflow, whose file tells where it is. */
async function sessionCalled(
  start: string,
  io: Io,
): Promise<{ agent: string; nativeSession: string; project: string }> {
  try {
    const path = `/api/sessions/${encodeURIComponent(start)}`
    const session = Session.parse(await callDaemon(folderOf(io), 'GET', path))
    return { ...session, project: session.cwd ?? session.project ?? io.cwd }
  } catch (cause) {
    if (!(cause instanceof BatonError) || !/^(daemon_absent|not_found)$/.test(cause.code)) throw cause
    return await workflowsHere(io)
      .actions.find(start)
      .catch(() => {
        throw cause
      })
  }
}

/** The agent's own command for resuming a session. */
function resumeCommand({
  agent,
  nativeSession,
}: Pick<Session, 'nativeSession'> & { agent: string }): [string, ...string[]] {
  const { program, args } = launchesOf(agent).interactive({ resume: nativeSession })
  return [program, ...args]
}

const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
