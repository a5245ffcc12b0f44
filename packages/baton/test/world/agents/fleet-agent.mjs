// A small agent for fleets, with Claude Code's hooks: it works on the issue that names its clone, merges its base, hands the branch off
// and ends when Baton lets it. Each issue has a file of its own; three of ten also add a line to shared.txt, where branches conflict.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

if (process.argv.includes('--version')) {
  console.log('2.1.0 (Claude Code)')
  process.exit()
}
// Found on the PATH.
const BATON = 'baton'
const issue = Number(/issue-(\d+)$/.exec(process.cwd())?.[1])
const session = randomUUID()
const prompt = process.argv.at(-1)

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
const hook = (name, more = {}) => {
  const input = {
    session_id: session,
    cwd: process.cwd(),
    permission_mode: 'acceptEdits',
    hook_event_name: name,
    ...more,
  }
  const said = execFileSync(BATON, ['hook', 'claude'], { input: JSON.stringify(input), encoding: 'utf8' })
  return said.trim() ? JSON.parse(said) : {}
}
const isConflict = () => git('diff', '--name-only', '--diff-filter=U').trim() !== ''

/** Keeps the lines of both sides. */
function mergeBase() {
  git('fetch', '-q', 'origin')
  for (const from of [`origin/issue-${issue}`, 'origin/main']) {
    try {
      git('rev-parse', '-q', '--verify', from)
    } catch {
      continue
    }
    try {
      git('merge', '-q', '--no-edit', from)
    } catch (cause) {
      if (!isConflict()) throw cause
      const both = readFileSync('shared.txt', 'utf8').replaceAll(/^(<{7}|={7}|>{7}).*\n/gm, '')
      writeFileSync('shared.txt', both)
      git('commit', '-qam', `Merge ${from}`)
    }
  }
}

async function work() {
  await pause(Number(process.env.THINK_MS ?? 0))
  if (!existsSync(`part-${issue}.js`)) {
    writeFileSync(`part-${issue}.js`, `module.exports = ${issue}\n`)
    if (issue % 10 < 3) appendFileSync('shared.txt', `issue ${issue}\n`)
    git('add', '-A')
    git('commit', '-qm', `Part ${issue}`)
  }
}

const wasStarted = existsSync(`part-${issue}.js`)
hook('SessionStart', { source: 'startup' })
hook('UserPromptSubmit', { prompt })
await work()
for (let turn = 0; turn < 5; turn++) {
  // The first time, Baton merges the base by itself.
  if (wasStarted || turn > 0) mergeBase()
  execFileSync(BATON, ['claim', 'ready', '--summary', `Add part ${issue}`], { stdio: 'inherit' })
  const { decision, reason } = hook('Stop', {
    stop_hook_active: turn > 0,
    last_assistant_message: 'Handed off.',
  })
  if (decision !== 'block') break
  console.log(reason)
}
hook('SessionEnd', { reason: 'other' })
