import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluginHooks } from '../packages/baton/src/adapters/agents/claude-code/plugin.ts'

// Writes plugin/hooks/hooks.json from the adapter's hook table; `--check` only says whether it is up to date.
const file = join(import.meta.dirname, '..', 'plugin', 'hooks', 'hooks.json')
const text = `${JSON.stringify(pluginHooks(), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  console.error(
    'plugin/hooks/hooks.json is not what the hook table says. Run: node scripts/generate-plugin.ts',
  )
  process.exitCode = 1
}
