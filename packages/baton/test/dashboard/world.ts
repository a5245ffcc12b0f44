import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Baton, compose } from '../../src/compose.ts'
import { openStateFolder, type StateFolder } from '../../src/config/state-folder.ts'
import { runDaemon } from '../../src/daemon/daemon.ts'
import { takeLock } from '../../src/store/lock.ts'
import { loginLink } from '../world/person.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

/** The real daemon in this process, with a home of its own, and links into its dashboard. */
export interface DashboardWorld extends AsyncDisposable {
  home: string
  folder: StateFolder
  scratch: Scratch
  readonly baton: Baton
  readonly url: string
  /** A link as `baton dashboard` prints it at a person's terminal. */
  link(): Promise<string>
  /** Ends the daemon and begins another one on the same state, at the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

/** On the forge that is a folder. */
const ISSUES = [
  [42, 'Apply discount codes in the cart'],
  [31, 'Refund a payment twice asked for once'],
  [35, 'Write the migration guide'],
] as const

export async function dashboardWorld(yaml = ''): Promise<DashboardWorld> {
  const here = scratch('bd-')
  const home = join(here.path, 'home')
  mkdirSync(home)
  const forge = join(here.path, 'forge')
  mkdirSync(forge)
  const issues = ISSUES.map(([number, title]) => ({
    number,
    title,
    status: 'Todo',
    labels: ['ready-for-agent'],
  }))
  writeFileSync(join(forge, 'forge.json'), JSON.stringify({ name: 'shop', issues }))
  const settings = `daemon:\n  port: 0\nforge:\n  folder: ${JSON.stringify(forge)}\n${yaml}`
  writeFileSync(join(home, '.baton.yaml'), settings, { mode: 0o600 })
  const folder = openStateFolder(join(home, 'state'))
  let running: { baton: Baton; url: string; stop(): Promise<void> } | undefined

  const start = async () => {
    const lock = takeLock(folder.lock, 0)
    if (!lock) throw new Error('another daemon runs here')
    const PATH = `${join(here.path, 'bin')}:${process.env.PATH ?? ''}`
    const baton = await compose({ folder, env: { HOME: home, PATH }, home })
    const daemon = await runDaemon(baton, folder, lock, '0.1.0')
    running = {
      baton,
      url: daemon.url,
      async stop() {
        daemon.stop('stopped')
        await daemon.ended
      },
    }
  }
  const stop = async () => {
    await running?.stop()
    running = undefined
  }
  const the = () => {
    if (!running) throw new Error('no daemon runs')
    return running
  }
  await start()
  return {
    home,
    folder,
    scratch: here,
    get baton() {
      return the().baton
    },
    get url() {
      return the().url
    },
    async link() {
      return await loginLink({ home, stateDir: folder.dir })
    },
    start,
    stop,
    async restart() {
      await stop()
      await start()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      here.remove()
    },
  }
}
