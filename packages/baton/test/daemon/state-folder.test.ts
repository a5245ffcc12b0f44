import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layGround } from '../../src/compose/ground.ts'
import { composeMaintenance } from '../../src/compose/maintenance.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { anEntry } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'
import { DIST } from './process-world.ts'

/** Root without the right to open everything, so that it meets a closed folder as any user does. */
const PLAIN = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']

test('a state folder of another user is named in one sentence by every command, without a stack', {
  timeout: 120_000,
}, async () => {
  await using folder = scratch()
  const state = join(folder.path, '.local/state/baton')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  chmodSync(state, 0o000)
  const baton = (word: string) =>
    new Promise<{ code: number | null; out: string }>(resolve => {
      const words = [process.execPath, join(DIST, 'cli.js'), word]
      const [program = '', ...args] = process.getuid?.() === 0 ? [...PLAIN, ...words] : words
      const env = { PATH: process.env.PATH, HOME: folder.path }
      const child = execFile(program, args, { env, cwd: folder.path }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, out: stdout + stderr }),
      )
    })
  try {
    for (const word of ['status', 'up', 'claims', 'logs', 'doctor', 'down']) {
      const { code, out } = await baton(word)
      expect(out, word).toContain("Baton's state folder cannot be opened by this user")
      expect(out, word).toContain('BATON_HOME')
      expect(out, word).not.toMatch(/EACCES|^ +at /m)
      expect(code, word).not.toBe(0)
    }
  } finally {
    chmodSync(state, 0o700)
  }
})

test('a journal that is deleted under the daemon is noticed, and the next start says that a new one began', async () => {
  await using folder = scratch()
  const state = openStateFolder(join(folder.path, 'state'))
  const start = async () => {
    const ground = await layGround({ folder: state, env: {}, home: folder.path })
    await ground.ready()
    return { ground, maintenance: composeMaintenance(ground, async () => {}) }
  }
  const first = await start()
  await first.ground.write([anEntry('a')])
  expect((await first.maintenance.figures()).store.writeProblem).toBeUndefined()
  for (const end of ['', '-wal', '-shm']) rmSync(`${state.database}${end}`, { force: true })
  expect((await first.maintenance.figures()).store.writeProblem).toMatch(
    /was deleted or replaced while the daemon was running.*baton up --restart/,
  )
  for (let n = 0; n < 3; n++) await first.maintenance.housekeeping()
  const lines = readFileSync(state.log, 'utf8').split('\n')
  expect(lines.filter(line => line.includes('was deleted or replaced'))).toHaveLength(1)
  await first.ground.close()

  // As a daemon leaves it behind.
  mkdirSync(state.token)
  const second = await start()
  const faults = await until(
    async () => {
      const entries = await second.ground.store.entries({ limit: 10 })
      const found = entries.filter(({ body }) => body.kind === 'fault')
      return found.length > 0 ? found : undefined
    },
    { what: 'the fault in the new journal' },
  )
  expect(faults).toMatchObject([
    { body: { during: 'opening the journal', error: { remedy: expect.stringContaining('new journal') } } },
  ])
  await second.ground.close()
})
