import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { scratch } from '../world/scratch.ts'

const run = promisify(execFile)
const DAEMON = fileURLToPath(new URL('full-disk-daemon.ts', import.meta.url))
const CLI = join(import.meta.dirname, '../../dist/cli.js')
/** A disk of its own in a private mount namespace, which goes with the process; nothing else sees it. */
const NAMESPACE = ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=12m tmpfs "$0" && exec "$@"']
/** Where there are no namespaces: no file may grow beyond 1 MB. */
const LIMIT = ['-c', 'ulimit -f 2048; exec "$@"', 'sh']

interface Said {
  decision?: string
  reason?: string
}
interface Ran {
  code: number
  out: string
}

test('on a full disk rules still deny, and the answers, status and doctor name the cause', {
  timeout: 480_000,
}, async () => {
  await using folder = scratch('bf-')
  const hasDisk = spawnSync('unshare', [...NAMESPACE, folder.path, 'true']).status === 0
  const program = [process.execPath, DAEMON, folder.path, hasDisk ? 'disk' : 'limit', CLI]
  const { stdout } = hasDisk
    ? await run('unshare', [...NAMESPACE, folder.path, ...program], { timeout: 400_000 })
    : await run('sh', [...LIMIT, ...program], { timeout: 400_000 })
  const { full, after } = JSON.parse(stdout) as {
    full: { failed: boolean; denied: Said[]; other: Said[]; status: Ran; doctor: Ran }
    after?: { denied: Said[]; status: Ran }
  }
  expect(full.failed).toBe(true)
  expect(full.denied.map(({ decision }) => decision)).toEqual(Array(20).fill('deny'))
  expect(full.other.map(({ decision }) => decision)).not.toContain('allow')
  expect(full.status.out).toMatch(/^journal .*Baton records nothing/m)
  expect(full.doctor.code).not.toBe(0)
  expect(full.doctor.out).toMatch(/FAIL +journal/)
  if (!hasDisk) return
  for (const { reason } of [...full.denied, ...full.other]) expect(reason).toMatch(/disk .*is full/)
  expect(full.status.out).toMatch(/The disk that holds .* is full/)
  expect(full.doctor.out).toMatch(/The disk that holds .* is full/)
  expect(after?.denied).toMatchObject([{ decision: 'deny', reason: expect.not.stringContaining('is full') }])
  expect(after?.status.out).not.toContain('is full')
})
