// A real daemon with a reactor that never comes to an end: for tests that end it midway.
import { compose } from '../../src/compose.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { runDaemon } from '../../src/daemon/daemon.ts'
import type { Reactor } from '../../src/ports/reactor.ts'
import { takeLock } from '../../src/store/lock.ts'

const [, , dir = '', home = ''] = process.argv
const holding: Reactor = {
  name: 'permission',
  react(event) {
    if (event.type !== 'ToolRequested') return undefined
    process.stdout.write('holding\n')
    return { later: { run: () => new Promise(() => {}), otherwise: {}, withinMs: 600_000 } }
  },
}
const folder = openStateFolder(dir)
const lock = takeLock(folder.lock, 0)
if (!lock) throw new Error('another daemon runs here')
const baton = await compose({ folder, env: { HOME: home }, home, reactors: [holding] })
await runDaemon(baton, folder, lock, '0.0.0')
process.stdout.write('listening\n')
