import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pluginHooks } from '../packages/baton/src/adapters/agents/claude-code/plugin.ts'
import {
  agentSlug,
  claudeAgentFile,
  editorAgentFile,
} from '../packages/baton/src/work/packs/paw/instructions/agent-file.ts'
import { componentFile } from '../packages/baton/src/work/packs/paw/instructions/handoff-instructions.ts'
import { StageName } from '../packages/contract/src/work.ts'

// Writes what the plugin and the editor's extension take from tables in the code: hooks, and the agents of stages with
// their commands and transitions. `--check` only says whether it is up to date.
const root = join(import.meta.dirname, '..')
const stages = StageName.options
const files: Record<string, string> = {
  'plugin/hooks/hooks.json': `${JSON.stringify(pluginHooks(), null, 2)}\n`,
  'plugin/components/handoff-instructions.component.md': componentFile(),
  ...Object.fromEntries(
    stages.map(stage => [`plugin/agents/${agentSlug(stage)}.md`, claudeAgentFile(stage)]),
  ),
  ...Object.fromEntries(
    stages.map(stage => [`apps/vscode/agents/${agentSlug(stage)}.agent.md`, editorAgentFile(stage)]),
  ),
}
/** Agents of stages that the table no longer has. */
const stale = ['plugin/agents', 'apps/vscode/agents'].flatMap(folder =>
  namesIn(folder).flatMap(name => {
    const path = `${folder}/${name}`
    return name.startsWith('paw-') && !(path in files) ? path : []
  }),
)

if (!process.argv.includes('--check')) {
  for (const path of stale) rmSync(join(root, path))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
} else {
  const wrong = [...stale, ...Object.keys(files).filter(path => textOf(path) !== files[path])]
  for (const path of wrong)
    console.error(`${path} is not what the tables say. Run: node scripts/generate-plugin.ts`)
  if (wrong.length > 0) process.exitCode = 1
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(join(root, folder))
  } catch {
    return []
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}
