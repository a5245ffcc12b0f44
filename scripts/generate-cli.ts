import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT } from '../packages/baton/src/cli/command.ts'
import { helpOf } from '../packages/baton/src/cli/help.ts'
import { COMMANDS } from '../packages/baton/src/cli/table.ts'

// Writes docs/reference/cli.md from the command table. `--check` only compares.
const file = join(import.meta.dirname, '..', 'docs', 'reference', 'cli.md')

const MEANING: Record<keyof typeof EXIT, string> = {
  ok: 'Done.',
  failed: 'Failed; the message says what to do.',
  usage: 'A command or option that does not exist, or is used wrongly.',
  noDaemon: 'No daemon answers.',
  invalid: 'The configuration is invalid or not trusted.',
  interrupted: 'Ended by Ctrl-C or a signal.',
}

const text = `<!-- Generated from packages/baton/src/cli/table/ by scripts/generate-cli.ts: change it there. -->
# Commands

${COMMANDS.filter(command => !command.hidden)
  .map(({ name, summary }) => `- [\`baton ${name}\`](#baton-${name}): ${summary}`)
  .join('\n')}

\`baton COMMAND --help\` prints the same as this page. Without a terminal, and with \`NO_COLOR\`, nothing is coloured.

## Exit codes

| Code | Meaning |
|---|---|
${Object.entries(EXIT)
  .map(([name, code]) => `| ${code} | ${MEANING[name as keyof typeof EXIT]} |`)
  .join('\n')}

\`baton hook\` always exits 0: a hook must never fail the agent.

${COMMANDS.filter(command => !command.hidden)
  .map(command => `## baton ${command.name}\n\n\`\`\`text\n${helpOf(command)}\`\`\`\n`)
  .join('\n')}`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/reference/cli.md does not match the command table. Run: node scripts/generate-cli.ts')
  process.exitCode = 1
}
