import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { installAgent } from '../../../baton/test/world/agents/install.ts'
import { findPatchedPaths } from '../../src/languages/apply-patch.ts'
import { PATCH } from './generators/patch.ts'
import { LONG } from './try-lines.ts'

const COUNT = LONG ? 5000 : 150
let codex: string

beforeAll(async () => {
  const folder = dirname(dirname(dirname(await installAgent('codex'))))
  const [program] = globSync(join(folder, 'node_modules/@openai/codex-*/vendor/*/bin/codex'))
  if (!program) throw new Error(`no program of Codex in ${folder}`)
  codex = program
  execFileSync(codex, ['--version'])
}, 600_000)

function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return new Map(
    files.map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

/** The files that Codex itself adds, changes or removes for this patch. */
function appliedByCodex(patch: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'))
  try {
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'old.txt'), 'one\n')
    writeFileSync(join(folder, 'gone.txt'), 'one\n')
    const before = contents(folder)
    spawnSync(codex, ['--codex-run-as-apply-patch', patch], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: 'ignore',
      timeout: 60_000,
    })
    const after = contents(folder)
    return [...new Set([...before.keys(), ...after.keys()])].filter(
      name => before.get(name) !== after.get(name),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const patches = fc.sample(PATCH, { numRuns: COUNT, seed: LONG ? Date.now() % 1_000_000 : 7 })

test(
  'every file that Codex touches for a patch was found in it',
  () => {
    const touched = patches.map(patch => ({ patch, files: appliedByCodex(patch) }))
    for (const { patch, files } of touched)
      expect(findPatchedPaths(patch), JSON.stringify(patch)).toEqual(expect.arrayContaining(files))
    expect(touched.filter(({ files }) => files.length > 0).length / COUNT).toBeGreaterThanOrEqual(0.3)
  },
  LONG ? 3_600_000 : 300_000,
)

test('a reader that overlooks indented headers is found out', { timeout: 300_000 }, () => {
  const atLineStart = (patch: string) =>
    [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, path = '']) =>
      path.trim(),
    )
  const missed = patches.find(patch => appliedByCodex(patch).some(file => !atLineStart(patch).includes(file)))
  expect(missed).toBeDefined()
})
