import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_PROBLEMS, type KnownProblem } from '../packages/baton/src/cli/known-problems.ts'

// Writes docs/troubleshooting.md from what `baton doctor` may find; `--check` only says whether it is up to date.
const file = join(import.meta.dirname, '..', 'docs', 'troubleshooting.md')

const MEANING = {
  fail: 'FAIL: mend this first',
  warn: 'warn: something will not work',
  note: 'note: good to know',
}

const rows = Object.entries<KnownProblem>(KNOWN_PROBLEMS).map(
  ([name, { severity, says, cause, fix }]) =>
    `| ${[name.split('/', 1)[0]?.replace('AGENT', '*agent*'), says, severity, cause, fix].map(cell).join(' | ')} |`,
)

const text = `<!-- Generated from packages/baton/src/cli/known-problems.ts by scripts/generate-troubleshooting.ts: change it there. -->
# When something does not work

\`\`\`sh
baton doctor              # one line for each thing that was checked, and below it how to mend it
baton logs --kind fault   # what went wrong inside
baton status              # the daemon, and whether the configuration in force is the one on disk
\`\`\`

## What the doctor finds

${Object.values(MEANING)
  .map(line => `- ${line}`)
  .join('\n')}

Words in braces stand for what is found on your machine.

| | it says | | why | what to do |
|---|---|---|---|---|
${rows.join('\n')}

What an agent needs before its hooks run (Codex wants them looked at, Gemini CLI wants the folder trusted) is under
*What to do* in [the page about the agents](agents.md); the doctor says it, too, where it can see it.

## Other things

| what you see | why, and what to do |
|---|---|
| \`baton: Node 22 or newer is needed\` | The Node that runs \`baton\` is too old. Install a newer one (nodejs.org), then \`baton init\` again, so that the launcher names it. |
| \`better-sqlite3 cannot be loaded here\` | There is no built program for your system. With a C++ compiler and Python: \`npm rebuild better-sqlite3 --build-from-source\` where Baton is installed. |
| \`baton: command not found\` | \`npx batonpass\` runs it without installing it. For good: \`npm install -g batonpass\`. |
| \`The tour needs tmux\` | Install tmux. Nothing else of Baton's set-up needs it. |
| The agent asks about everything | Is the daemon answering (\`baton doctor\`)? Without it the launcher gives its safe answer, which is to ask. \`baton why\` says what decided the last call. |
| A command is refused and should not be | \`baton why\` names the rule; \`baton check 'COMMAND'\` tries a command without running it. [Rules](guides/permission.md) |
| The agent is not sent on | \`baton status\` says whether a workflow runs in the session and how it ended. [Hands-off mode](guides/hands-off.md) |
| Nothing arrives on the phone or desktop | [Notifications](guides/notifications.md), [Telegram](guides/telegram.md); quiet hours hold back all but questions. |
| The dashboard's link is refused | It works once and for ten minutes. Another one: \`baton dashboard\`. |
| An error has a code | [Error codes](reference/errors.md) explains each. |

## Start afresh

\`\`\`sh
baton down --force                # ends a daemon that hangs
baton uninstall --keep-data       # hooks out, journal kept
baton init --yes                  # and in again
\`\`\`
`

if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (!isCurrent()) {
  console.error('docs/troubleshooting.md is not what scripts/generate-troubleshooting.ts writes: run it')
  process.exitCode = 1
}

/** A bar would end the cell. */
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
