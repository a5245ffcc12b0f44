import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ToolList } from '@batonpass/contract/work'
import { workRoutes } from '../packages/baton/src/daemon/work-routes.ts'
import { agentSlug } from '../packages/baton/src/work/packs/paw/instructions/agent-file.ts'
import { STAGES } from '../packages/baton/src/work/packs/paw/stage-table.ts'
import { TOOLS } from '../packages/baton/src/work/packs/paw/tools.ts'

/** Writes the tools and stage agents into the manifest of the VS Code extension. `--check` only compares. */
const path = join(import.meta.dirname, '..', 'apps', 'vscode', 'package.json')
const manifest = JSON.parse(readFileSync(path, 'utf8'))

// The daemon's own list of tools, which needs no work items.
const { tools } = ToolList.parse(await (await workRoutes(undefined as never).request('/api/tools')).json())
const languageModelTools = TOOLS.map(({ name, title, description }) => {
  const { $schema: _, ...inputSchema } = tools.find(tool => tool.name === name)?.inputSchema ?? {}
  return {
    name,
    displayName: title,
    modelDescription: description,
    userDescription: title,
    toolReferenceName: name,
    canBeReferencedInPrompt: true,
    icon: '$(milestone)',
    inputSchema,
  }
})
const chatAgents = STAGES.map(({ stage }) => ({ path: `./agents/${agentSlug(stage)}.agent.md` }))

const wanted = { ...manifest, contributes: { ...manifest.contributes, languageModelTools, chatAgents } }
if (JSON.stringify(wanted) !== JSON.stringify(manifest)) {
  if (process.argv.includes('--check')) {
    console.error(
      'apps/vscode/package.json does not match the tools and stages. Run: node scripts/generate-vscode.ts',
    )
    process.exitCode = 1
  } else writeFileSync(path, `${JSON.stringify(wanted, undefined, 2)}\n`)
}
