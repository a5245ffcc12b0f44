import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layGround } from '../../src/compose/ground.ts'
import { composeMaintenance } from '../../src/compose/maintenance.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { anEntry } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

test('100 writes while PostgreSQL is away cost a few connects and one log line, and status says why', async () => {
  await using folder = scratch()
  let connects = 0
  // It takes connections and drops them, as a server that is starting behind a proxy does.
  const away = createServer(socket => {
    connects++
    socket.destroy()
  })
  await new Promise<void>(resolve => away.listen(0, '127.0.0.1', resolve))
  const address = away.address()
  const port = typeof address === 'object' && address ? address.port : 0
  writeFileSync(
    join(folder.path, '.baton.yaml'),
    `store:\n  url: postgres://someone:hunter22@127.0.0.1:${port}/baton\n`,
    { mode: 0o600 },
  )
  const state = openStateFolder(join(folder.path, 'state'))
  const ground = await layGround({ folder: state, env: {}, home: folder.path })
  try {
    await until(() => ground.copy.state() === 'failing', { what: 'a failed attempt' })
    const before = ground.copy.failure()?.attempts ?? 0
    const began = performance.now()
    for (let n = 0; n < 100; n++) {
      await ground.write([anEntry(`${n}`)])
      await new Promise(resolve => setImmediate(resolve))
    }
    // At most one attempt for each 250 ms that passed, and far fewer later.
    const due = 2 + (performance.now() - began) / 250
    expect((ground.copy.failure()?.attempts ?? 0) - before).toBeLessThanOrEqual(due)
    expect(connects).toBeLessThanOrEqual(before + due + 1)
    const lines = readFileSync(state.log, 'utf8').split('\n').filter(Boolean)
    expect(lines.filter(line => line.includes('the copy to PostgreSQL'))).toHaveLength(1)
    const { store } = await composeMaintenance(ground, async () => {}).figures()
    expect(store).toMatchObject({ copy: 'failing', entries: 100 })
    expect(store.copyProblem).toMatch(/127\.0\.0\.1.*failed attempts? since \d{4}-/)
    expect(store.copyProblem).not.toContain('hunter22')
  } finally {
    await ground.close()
    away.close()
  }
})
