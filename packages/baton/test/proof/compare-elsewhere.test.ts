import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { systemPrograms } from '../../src/adapters/system/programs.ts'
import { comparer } from '../../src/compose/proof.ts'
import { compareElsewhere } from '../../src/proof/compare-elsewhere.ts'
import { scratch } from '../world/scratch.ts'

const TEST = "it('adds', () => {\n  expect(1 + n()).toBe(2) // \u2028 \u00e9 \u{1f600}\n})\n"
const GONE = { path: 'a.test.ts', before: TEST, after: '' }
const never = () => new AbortController().signal

/** Compares with Baton's own program, or with one of this code. */
async function compare(
  given: { code?: string; withinMs?: number; signal?: AbortSignal; folders?: string[] },
  ...changes: { path: string; before: string | undefined; after: string | undefined }[]
) {
  await using folder = scratch()
  const faults: string[] = []
  const program =
    given.code === undefined ? comparer() : { ...comparer(), program: join(folder.path, 'a.mjs') }
  if (given.code !== undefined) writeFileSync(program.program, given.code)
  const fault = (during: string) => void faults.push(during)
  const { withinMs, signal = never(), folders } = given
  const found = await compareElsewhere(systemPrograms, {
    ...program,
    fault,
    ...(withinMs ? { withinMs } : {}),
  })({ changes, folders }, signal)
  return { found, faults }
}

it('A process of its own finds what the daemon would find', async () => {
  const settings = { path: 'b/tsconfig.json', before: undefined, after: '{ "include": ["src"] }' }
  const moved = { path: 'a/x.ts', before: 'x', after: undefined }
  const many = Array.from({ length: 300 }, (_, n) => ({
    path: `src/a${n}.ts`,
    before: '',
    after: `${'// \u2028 \u00e9\n'.repeat(500)}`,
  }))

  const kept = await compare({ folders: ['', 'b/'] }, ...many, moved, settings)
  const isNew = await compare({ folders: [''] }, ...many, moved, settings, GONE)

  expect(kept).toEqual({ found: ['include limited to "src" in b/tsconfig.json'], faults: [] })
  expect(isNew).toEqual({
    found: ['1 test fewer (a.test.ts)', '1 strict assertion fewer'],
    faults: [],
  })
})

it('A comparison that does not end in time is a finding', async () => {
  const { found, faults } = await compare({ code: 'for (;;) {}', withinMs: 200 }, GONE)

  expect(found).toEqual(['the changed tests could not be compared within a minute'])
  expect(faults).toEqual([])
})

it.each([
  ['ends with an error', 'process.exitCode = 1'],
  ['prints nothing', ''],
  ['prints something else', 'console.log("{}")'],
  ['is killed, as without memory', "process.kill(process.pid, 'SIGKILL')"],
])('A comparison that %s is a finding', async (_, code) => {
  const { found, faults } = await compare({ code }, GONE)

  expect(found).toEqual(['the changed tests could not be compared: the comparison failed'])
  expect(faults).toEqual(['comparing tests'])
})

it('A cancelled comparison never says that nothing was found', async () => {
  expect((await compare({ signal: AbortSignal.abort() }, GONE)).found).not.toEqual([])
})

it('The process has none of the daemon’s environment', async () => {
  vi.stubEnv('SOME_TOKEN', 's3cret')
  const { found } = await compare({ code: 'console.log(JSON.stringify(Object.keys(process.env)))' })

  expect(found.filter(name => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name))).toEqual([])
})
