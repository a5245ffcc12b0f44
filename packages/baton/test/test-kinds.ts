import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * unit: imports source only and starts in a moment.
 * journeys: needs the built Baton, or starts programs or servers: daemons, tmux, a browser, PostgreSQL, a fake GitHub.
 * agents: also drives real agents, which are installed first.
 */
export type TestKind = 'unit' | 'journeys' | 'agents'

/** Tests of adapters that drive real git and hosted agents. */
const FOLDERS = ['/journeys/', '/adapters/git/', '/adapters/acp/']
const INSTALLS_AGENTS = 'world/agents/install.ts'
const STARTS_PROGRAMS = [
  'adapters/tmux/world.ts',
  'claim/world.ts',
  'contracts/hook-client.contract.ts',
  'daemon/process-world.ts',
  'fleet/merge-world.ts',
  'hook/world.ts',
  'session/watch/world.ts',
  'undo/world.ts',
  'world/agents/tmux.ts',
  'world/baton.ts',
  'world/browser.ts',
  'world/claims.ts',
  'world/github.ts',
  'world/postgres.ts',
  'world/sandbox.ts',
]
/** What a test or one of its helpers contains if it starts programs itself. */
const STARTS = /^(?:import [^\n]*|\}) from 'node:child_process'|\bgitRepo\(|agents\/acp-agent\.ts'/m
/** It can make a repository; a test that only uses its folders starts nothing. */
const SCRATCH = 'world/scratch.ts'
/** How tests name the built command. */
const BUILT = /dirname, '\.\.\/\.\.\/dist\/cli\.js'/

/** The kind of a test file, from what it imports directly and through helpers: no list to keep. */
export function testKind(file: string): TestKind {
  const helpers = [...reach(file)]
  const imports = (path: string) => helpers.some(helper => helper.endsWith(`/test/${path}`))
  if (imports(INSTALLS_AGENTS)) return 'agents'
  if (FOLDERS.some(folder => file.includes(folder)) || STARTS_PROGRAMS.some(imports)) return 'journeys'
  const isJourney = helpers.some(helper => {
    const text = readFileSync(helper, 'utf8')
    return BUILT.test(text) || (STARTS.test(text) && !helper.endsWith(`/test/${SCRATCH}`))
  })
  return isJourney ? 'journeys' : 'unit'
}

/** The file and every helper it imports, without types and without source. */
function reach(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || file.includes('/src/') || !existsSync(file)) return seen
  seen.add(file)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
    reach(join(dirname(file), name), seen)
  return seen
}

const IMPORT = /(?:^(?:import|export)\b(?! type\b)[^'"`;]*?\bfrom |^import |\bimport\()'(\.[^']+)'/gm
