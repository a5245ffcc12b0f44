import { findWorktreeRoot } from '../../config/project.ts'
import { programPaths } from '../../hook/program.ts'
import { spawnDaemon } from '../../hook/spawn.ts'
import { claimStart } from '../../hook/start-mark.ts'
import { VERSION } from '../../version.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, ensureDaemon, findDaemon, folderOf, startDaemon } from '../daemon.ts'
import { paint, printable } from '../io.ts'
import { configOf } from '../local-judge.ts'
import { portChecks } from '../port-checks.ts'
import { fitted } from '../wrap-words.ts'
import { loginLink } from './dashboard.ts'

/** Starts the daemon; one of another version is drained first and hands over. */
export const up: Handler = async (given, io) => {
  const folder = folderOf(io)
  if (flag(given, 'foreground')) {
    const { node, daemon } = programPaths()
    const child = spawnDaemon(node, daemon, folder.dir, io.env, true)
    io.signal.addEventListener('abort', () => child.kill('SIGTERM'))
    return await new Promise(resolve => child.once('exit', code => resolve(code ?? EXIT.failed)))
  }
  const found = await findDaemon(folder)
  const running = found === 'silent' ? await ensureDaemon(folder, io) : found
  if (running && !running.draining && running.version === VERSION && !flag(given, 'restart')) {
    return await say(running.url, running.pid, 'is already running')
  }
  if (running && !running.draining) {
    // Before the old one goes, so that no hook brings it back.
    claimStart(folder.dir)
    await callDaemon(folder, 'POST', '/api/stop?drain=true')
  }
  const started = await startDaemon(folder, io)
  return await say(
    started.url,
    started.pid,
    'is running',
    running && `; it took over from ${running.version} (pid ${running.pid})`,
  )

  async function say(url: string, pid: number, what: string, more = ''): Promise<number> {
    if (flag(given, 'json'))
      io.stdout.write(`${JSON.stringify({ url, pid, version: VERSION, socket: folder.socket })}\n`)
    else {
      io.stdout.write(
        `The daemon ${what} (pid ${pid})${more}.\n  dashboard  ${await linkHere()}\n  API        ${url}/api\n  socket     ${folder.socket}\n  token      ${folder.token}\n`,
      )
      for (const { message, fix } of portChecks(url, await configOf(findWorktreeRoot(io.cwd), io)))
        fitted(io)(`${paint(io)('yellow', 'port')} It ${printable(message)}. ${fix}\n`)
    }
    return EXIT.ok
  }

  /** The link is for a person at a terminal; anybody else is told how to get one. */
  function linkHere(): Promise<string> {
    return loginLink(folder).then(
      ({ url }) => url,
      () => 'run `baton dashboard` in a terminal of your own',
    )
  }
}
