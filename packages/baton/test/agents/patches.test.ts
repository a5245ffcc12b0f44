import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findPatchedPaths } from '@batonpass/shell-verdict/languages/apply-patch'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { PATCH } from '../../../shell-verdict/test/fuzz/generators/patch.ts'
import { copilot } from '../world/agents/copilot.ts'
import { installAgent } from '../world/agents/install.ts'
import { opencode } from '../world/agents/opencode.ts'
import { agentHome, type RealAgent } from '../world/agents/real.ts'
import { startModel } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

/** Both give their models this tool only under names of certain models. */
const MODEL = 'gpt-5-fake'
const LONG = process.env['BATON_LONG'] === '1'
const COUNT = 100
const CODEX_COUNT = LONG ? 5000 : 150

interface Patching {
  agent: RealAgent
  env: Record<string, string>
  args: readonly string[]
  input(patch: string): Record<string, unknown>
}

const OPENCODE: Patching = {
  agent: {
    ...opencode,
    env: place => {
      const env = opencode.env(place)
      return {
        ...env,
        OPENCODE_CONFIG_CONTENT: env['OPENCODE_CONFIG_CONTENT']?.replaceAll('fake-model', MODEL) ?? '',
      }
    },
  },
  env: {},
  args: [],
  input: patchText => ({ patchText }),
}
const COPILOT: Patching = {
  agent: copilot,
  env: { COPILOT_MODEL: MODEL },
  args: ['--allow-all-tools', '--allow-all-paths'],
  input: input => ({ input }),
}

function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !join(entry.parentPath, '/').includes('/.git/'),
  )
  return new Map(
    files.map(entry => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

const differences = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(name => before.get(name) !== after.get(name))

/** The project as each patch finds it. */
function renew(project: string): Map<string, string> {
  for (const name of readdirSync(project))
    if (name !== '.git') rmSync(join(project, name), { recursive: true })
  mkdirSync(join(project, 'sub'))
  writeFileSync(join(project, 'old.txt'), 'one\n')
  writeFileSync(join(project, 'gone.txt'), 'one\n')
  return contents(project)
}

// They take minutes.
test.each(LONG ? [OPENCODE, COPILOT] : [])(
  'every file that $agent.name touches for a patch was found in it',
  { timeout: 1_800_000 },
  async ({ agent, env, args, input }) => {
    const patches = fc.sample(PATCH, { numRuns: COUNT, seed: 7 })
    await using model = await startModel([agent.dialect])
    await using home = await agentHome(agent, model)
    let before = renew(home.project)
    let sent = -1
    const touched: string[][] = []
    model.script({ key: home.key }, () => {
      if (sent >= 0) {
        touched.push(differences(before, contents(home.project)))
      }
      before = renew(home.project)
      sent++
      const patch = patches[sent]
      return patch === undefined ? say('Done.') : call('apply_patch', input(patch))
    })
    await home.run({ prompt: 'Apply the patches.', env, args, timeout: 1_500_000 })
    expect(touched).toHaveLength(COUNT)
    patches.forEach((patch, at) => {
      expect(findPatchedPaths(patch), JSON.stringify(patch)).toEqual(
        expect.arrayContaining(touched[at] ?? []),
      )
    })
    expect(touched.filter(files => files.length > 0).length).toBeGreaterThan(COUNT * 0.3)
  },
)

let codex: string

beforeAll(async () => {
  const folder = dirname(dirname(dirname(await installAgent('codex'))))
  const [program] = globSync(join(folder, 'node_modules/@openai/codex-*/vendor/*/bin/codex'))
  if (!program) throw new Error(`no program of Codex in ${folder}`)
  codex = program
  execFileSync(codex, ['--version'])
}, 600_000)

/** The files that Codex itself adds, changes or removes for this patch. */
function appliedByCodex(patch: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'))
  try {
    const before = renew(folder)
    spawnSync(codex, ['--codex-run-as-apply-patch', patch], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: 'ignore',
      timeout: 120_000,
    })
    return differences(before, contents(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const forCodex = fc.sample(PATCH, { numRuns: CODEX_COUNT, seed: LONG ? Date.now() % 1_000_000 : 7 })

test('every file that Codex touches for a patch was found in it', {
  timeout: LONG ? 3_600_000 : 300_000,
}, () => {
  const touched = forCodex.map(patch => ({ patch, files: appliedByCodex(patch) }))
  for (const { patch, files } of touched)
    expect(findPatchedPaths(patch), JSON.stringify(patch)).toEqual(expect.arrayContaining(files))
  expect(touched.filter(({ files }) => files.length > 0).length / CODEX_COUNT).toBeGreaterThanOrEqual(0.3)
})

test('a reader that overlooks indented headers is found out', { timeout: 300_000 }, () => {
  const atLineStart = (patch: string) =>
    [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, path = '']) =>
      path.trim(),
    )
  const missed = forCodex.find(patch =>
    appliedByCodex(patch).some(file => !atLineStart(patch).includes(file)),
  )
  expect(missed).toBeDefined()
})
