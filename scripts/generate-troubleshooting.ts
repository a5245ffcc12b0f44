import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_PROBLEMS, type KnownProblem } from '../packages/baton/src/cli/known-problems.ts'

// Writes docs/troubleshooting.md from the findings of `baton doctor`. `--check` only compares.
const file = join(import.meta.dirname, '..', 'docs', 'troubleshooting.md')

const MEANING = {
  fail: 'FAIL: fix this first',
  warn: 'warn: something will not work',
  note: 'note: good to know',
}

const rows = Object.entries<KnownProblem>(KNOWN_PROBLEMS).map(
  ([name, { severity, says, cause, fix }]) =>
    `| ${[name.split('/', 1)[0]?.replace('AGENT', '*agent*'), says, severity, cause, fix].map(cell).join(' | ')} |`,
)

const text = `<!-- Generated from packages/baton/src/cli/known-problems.ts by scripts/generate-troubleshooting.ts: change it there. -->
# Troubleshooting

\`\`\`sh
baton doctor              # one line for each check, and how to fix what is wrong
baton logs --kind fault   # internal errors
baton status              # the daemon, and whether it uses the configuration on disk
\`\`\`

## What the doctor finds

${Object.values(MEANING)
  .map(line => `- ${line}`)
  .join('\n')}

Words in braces are replaced with values from your machine.

| check | message | | cause | what to do |
|---|---|---|---|---|
${rows.join('\n')}

Some agents need a step from you before their hooks run: Codex wants you to review them, Gemini CLI wants you to trust the folder. See
*What to do* in [the page about the agents](agents.md). The doctor reports it, too, if it can detect it.

## Other problems

| what you see | cause, and what to do |
|---|---|
| \`baton: Node 22 or newer is needed\` | The Node that runs \`baton\` is too old. Install a newer one (nodejs.org), then run \`baton init\` again, so that the launcher uses it. |
| \`better-sqlite3 cannot be loaded here\` | There is no prebuilt binary for your system. With a C++ compiler and Python: \`npm rebuild better-sqlite3 --build-from-source\` where Baton is installed. |
| \`baton: command not found\` | \`npx batonpass\` runs it without installing it. To install it: \`npm install -g batonpass\`. |
| \`The tour needs tmux\` | Install tmux. The rest of the set-up does not need it. |
| The agent asks about everything | Is the daemon running (\`baton doctor\`)? Without it the launcher returns its safe answer, which is to ask. \`baton why\` explains the last decision. |
| A command is denied and should not be | \`baton why\` names the rule; \`baton check 'COMMAND'\` tries a command without running it. [Rules](guides/permission.md) |
| Baton does not continue the agent | \`baton status\` shows whether a workflow runs in the session, and how it ended. [Hands-off mode](guides/hands-off.md) |
| Nothing arrives on the phone or desktop | [Notifications](guides/notifications.md), [Telegram](guides/telegram.md); quiet hours suppress everything except questions. |
| The dashboard's link is rejected | It works once, within ten minutes. Get another one: \`baton dashboard\`. |
| An error has a code | See [error codes](reference/errors.md). |

## Start over

\`\`\`sh
baton down --force                # end a daemon that hangs
baton uninstall --keep-data       # remove the hooks, keep the journal
baton init --yes                  # install them again
\`\`\`
`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (!isCurrent()) {
  console.error('docs/troubleshooting.md is not up to date. Run: node scripts/generate-troubleshooting.ts')
  process.exitCode = 1
}

/** Escapes bars, which would end the cell. */
function cell(words: string | undefined): string {
  return (words ?? '').replaceAll('|', '\\\\|')
}

function isCurrent(): boolean {
  try {
    return readFileSync(file, 'utf8') === text
  } catch {
    return false
  }
}
