import { request } from 'node:http'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { stateDir } from '../config/places.ts'
import { openStateFolder, type StateFolder } from '../config/state-folder.ts'
import { clearRemovalMarks } from '../hook/package-removed.ts'
import { programPaths } from '../hook/program.ts'
import { shortSocketPath } from '../hook/socket-path.ts'
import { DAEMON_MEMORY } from '../hook/spawn.ts'
import { startDone, startFailed, startLasts } from '../hook/start-mark.ts'
import { bundledPlugin, workflowPrompt } from '../hook/start-workflow.ts'
import { takeLock } from '../store/lock.ts'
import { VERSION } from '../version.ts'
import { repairSettings } from './repair-settings.ts'

/** Whether a daemon accepts calls on the socket. A stopping one does not. */
function socketAnswers(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const req = request({ socketPath: shortSocketPath(socket), path: '/api/health', timeout: 1000 })
    req.on('error', () => resolve(false))
    req.on('timeout', () => req.destroy())
    req.on('response', response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    req.end()
  })
}

/** How long a successor waits for its predecessor to finish. */
const HANDOVER_MS = 20_000
const RETRY_MS = 100
const LINGER_MS = 3000

const dir = process.argv.find(word => word.startsWith('--state-dir='))?.slice('--state-dir='.length)
const home = process.env.HOME || homedir()
// The C library has read these, and the programs that the daemon starts must not inherit them.
for (const name of Object.keys(DAEMON_MEMORY)) delete process.env[name]
process.exitCode = await serve(dir || stateDir(process.env, home), home)

async function serve(dir: string, home: string): Promise<number> {
  // The daemon survives the terminal that started it.
  process.on('SIGHUP', () => {})
  try {
    const folder = openStateFolder(dir)
    startLasts(dir)
    const lock = await lockOrYield(folder)
    if (!lock) return 0
    // Imported late: a daemon that finds another one running exits without loading everything.
    const [{ compose }, { runDaemon }] = await Promise.all([import('../compose.ts'), import('./daemon.ts')])
    startLasts(dir)
    const { node, cli } = programPaths()
    const toolServer = { name: 'baton', command: node, args: [cli, 'mcp'] }
    const baton = await compose({
      folder,
      env: process.env,
      home,
      toolServer,
      ownProgram: [node, cli],
      programFolder: dirname(cli),
      startWorkflow: (agent, workflow, words, project) => ({
        prompt: workflowPrompt({ agent, workflow, words }, project, home),
        args: bundledPlugin(agent, { env: process.env, home }),
      }),
    })
    // Repair before serving: `baton init` starts a daemon and then writes the same files.
    const repaired = await repairSettings({
      folder,
      home,
      env: process.env,
      projects: async () =>
        (await baton.store.sessions({ limit: 5000 })).flatMap(({ project }) => project ?? []),
    })
    for (const path of repaired)
      await baton.note({
        kind: 'daemon',
        what: 'recovered',
        version: VERSION,
        pid: process.pid,
        detail: `replaced the HTTP hooks of Baton 0.1 in ${path}`,
      })
    const daemon = await runDaemon(baton, folder, lock, VERSION)
    startDone(dir)
    clearRemovalMarks(dir)
    // A machine that shuts down sends these signals: hosted sessions resume afterwards. `baton down` ends them.
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => daemon.stop('stopped', 'daemon'))
    const died = (during: string) => (cause: unknown) => baton.fault(during, cause)
    process.on('unhandledRejection', died('a background task'))
    process.on('uncaughtException', died('the event loop'))
    process.stdout.write(`baton daemon ${VERSION} at ${daemon.url}\n`)
    await daemon.ended
    // Exit even if something still waits for a forge or an agent: this daemon no longer serves calls.
    setTimeout(() => process.exit(), LINGER_MS).unref()
    return 0
  } catch (cause) {
    const error = cause instanceof BatonError ? cause : new BatonError('internal', String(cause), { cause })
    // Another daemon holds the folder and may still be starting: hooks keep waiting for that one.
    if (error.code !== 'daemon_busy')
      startFailed(dir, error.remedy ? `${error.message}. ${error.remedy}` : error.message)
    process.stderr.write(`baton: ${error.message}\n${error.remedy ? `${error.remedy}\n` : ''}`)
    return 1
  }
}

/** Takes the lock. Returns undefined if another daemon already answers, so that of two starts at once one remains. */
async function lockOrYield({ dir, lock: path, socket }: StateFolder) {
  const deadline = AbortSignal.timeout(HANDOVER_MS)
  for (;;) {
    const lock = takeLock(path, 0)
    if (lock) return lock
    if (await socketAnswers(socket)) {
      startDone(dir)
      return undefined
    }
    if (deadline.aborted)
      throw new BatonError('daemon_busy', 'Another daemon holds this folder and does not answer', {
        remedy: 'Run `baton down --force`.',
      })
    startLasts(dir)
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}
