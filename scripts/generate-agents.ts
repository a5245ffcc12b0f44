import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentEntry } from '../packages/baton/src/ports/agent.ts'

// Writes the lists of agents from their folders, and docs/agents.md from what each agent declares. `--check` only compares.
const root = join(import.meta.dirname, '..')
const folder = join(root, 'packages', 'baton', 'src', 'adapters', 'agents')
const check = process.argv.includes('--check')

const names = readdirSync(folder)
  .filter(name => existsSync(join(folder, name, 'agent.ts')))
  .toSorted()
const entries = await Promise.all(
  names.map(async name => {
    const { entry }: { entry: AgentEntry } = await import(pathToFileURL(join(folder, name, 'entry.ts')).href)
    return { name, ...entry }
  }),
)

const word = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
bring(
  join(root, 'packages', 'contract', 'src', 'agents.ts'),
  `// Written by scripts/generate-agents.ts from each agent's entry.ts.
/** The coding agents that Baton supports. Each name is also the folder of its adapter; \`AgentEntry\` documents the fields. */
export const AGENTS = {
${entries
  .map(
    ({ name, title, letters, programs, env }) => `  ${/^\w+$/.test(name) ? name : word(name)}: {
    title: ${word(title)},
    letters: ${word(letters)},
    programs: ${inLines(programs.map(word), '    programs: ', '    ')},
    env: ${inLines(env.map(word), '    env: ', '    ')},
  },
`,
  )
  .join('')}} as const
`,
)

const local = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const list = (
  what: 'profile' | 'agent',
  type: string,
  about: string,
) => `// Written by scripts/generate-agents.ts from the folders here.
import type { ${type} } from '../../ports/agent.ts'
${names.map(name => `import { ${what} as ${local(name)} } from './${name}/${what}.ts'`).join('\n')}

/** ${about} */
export const ${what}s: readonly ${type}[] = ${inLines(names.map(local), `export const ${what}s: readonly ${type}[] = `)}
`

/** Formats like the formatter: one item per line if they do not fit on one line. */
function inLines(words: readonly string[], before: string, indent = ''): string {
  const line = `[${words.join(', ')}]`
  if (`${before}${line}${indent && ','}`.length <= 110) return line
  return `[\n${words.map(each => `${indent}  ${each},\n`).join('')}${indent}]`
}

bring(
  join(folder, 'profile-list.ts'),
  list('profile', 'AgentProfile', 'What a hook client must know about every supported agent.'),
)
bring(
  join(folder, 'agent-list.ts'),
  list('agent', 'Agent', 'Everything Baton knows about every supported agent.'),
)

// Imported only now, because it imports the lists.
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
