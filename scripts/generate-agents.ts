import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentName } from '../packages/contract/src/event.ts'

// Writes the two lists of agents from the folders that are there, and docs/agents.md from what each declares; `--check` only
// says whether they are up to date.
const root = join(import.meta.dirname, '..')
const folder = join(root, 'packages', 'baton', 'src', 'adapters', 'agents')
const check = process.argv.includes('--check')

const names = AgentName.options.filter(name => existsSync(join(folder, name, 'agent.ts')))
const unnamed = readdirSync(folder).filter(
  name => existsSync(join(folder, name, 'agent.ts')) && !AgentName.options.some(known => known === name),
)
if (unnamed.length > 0)
  fail(`${unnamed.join(', ')}: add the name to AgentName in packages/contract/src/event.ts`)

const local = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const list = (
  what: 'profile' | 'agent',
  type: string,
  about: string,
) => `// Written by scripts/generate-agents.ts from the folders here.
import type { ${type} } from '../../ports/agent.ts'
${names
  .toSorted()
  .map(name => `import { ${what} as ${local(name)} } from './${name}/${what}.ts'`)
  .join('\n')}

/** ${about} */
export const ${what}s: readonly ${type}[] = ${inLines(names.map(local), `export const ${what}s: readonly ${type}[] = `)}
`

/** As the formatter has it: one to a line where they do not fit into one. */
function inLines(words: readonly string[], before: string): string {
  const line = `[${words.join(', ')}]`
  return `${before}${line}`.length <= 110 ? line : `[\n${words.map(word => `  ${word},\n`).join('')}]`
}

bring(
  join(folder, 'profile-list.ts'),
  list('profile', 'AgentProfile', 'What a hook client must know of every agent Baton speaks with.'),
)
bring(
  join(folder, 'agent-list.ts'),
  list('agent', 'Agent', 'Everything Baton knows of every agent it speaks with.'),
)

// Loaded only now: it stands on the lists.
const { agentsPage } = await import('./agents-page.ts')
const page = join(root, 'docs', 'agents.md')
bring(page, agentsPage(existsSync(page) ? readFileSync(page, 'utf8') : ''))

function bring(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  if (check) fail(`${path.slice(root.length + 1)} is not up to date. Run: node scripts/generate-agents.ts`)
  else writeFileSync(path, text)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
