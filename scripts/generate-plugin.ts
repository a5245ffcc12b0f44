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

// Writes the files of the plugin and the VS Code extension that come from tables in the code: hooks, and stage agents with
// their commands and transitions. `--check` only compares.
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
/** Files of stage agents that are no longer in the table. */
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
    console.error(`${path} does not match the tables. Run: node scripts/generate-plugin.ts`)
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
