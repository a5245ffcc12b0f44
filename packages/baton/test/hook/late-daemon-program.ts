// A real daemon with a reactor that answers tool calls late or never. Says on stdout what happens to them.
import { compose } from '../../src/compose.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { runDaemon } from '../../src/daemon/daemon.ts'
import type { Contribution } from '../../src/ports/contribution.ts'
import type { Reactor } from '../../src/ports/reactor.ts'
import { takeLock } from '../../src/store/lock.ts'

const [, , dir = '', home = '', answerAfterMs = ''] = process.argv
const say = (word: string) => process.stdout.write(`${word}\n`)

const late: Reactor = {
  name: 'permission',
  react(event) {
    if (event.type !== 'ToolRequested') return undefined
    say('held')
    const run = (signal: AbortSignal) =>
      new Promise<Contribution>(resolve => {
        const answer = { permission: { decision: 'deny' as const, reason: 'said late' } }
        const timer = setTimeout(() => resolve(answer), Number(answerAfterMs))
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          say('let go')
        })
      })
    return { later: { run, otherwise: {}, withinMs: 600_000 } }
  },
}
const folder = openStateFolder(dir)
const lock = takeLock(folder.lock, 0)
if (!lock) throw new Error('another daemon runs here')
const baton = await compose({ folder, env: { HOME: home }, home, reactors: [late] })
const daemon = await runDaemon(baton, folder, lock, '0.0.9')
process.on('SIGTERM', () => daemon.stop('stopped'))
say('listening')
