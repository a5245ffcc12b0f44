import { adapters } from '../../adapters/agents/registry.ts'
import { type RuleToAdd, withRule } from '../../config/add-rule.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { hasPlugin } from '../../hook/start-workflow.ts'
import { givePlugin, lacksPlugin, pluginLines } from '../agent-plugin.ts'
import { giveTools, lineOf, toolSteps } from '../agent-tools.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { diffOf } from '../diff.ts'
import { countQuestions, type ExpectedQuestions, questionsLine } from '../expected-questions.ts'
import { installBubblewrap, installWords, lacksBubblewrap } from '../install-bubblewrap.ts'
import { type Io, printable } from '../io.ts'
import { configOf } from '../local-judge.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'
import { runSetupGuide } from '../setup-guide.ts'
import { setupPlan } from '../setup-plan.ts'
import { tryAgents } from '../try-agents.ts'
import { changeUserConfig, type UserConfigChange, writeUserConfig } from '../user-config.ts'
import { agentsOf, installHooks, otherHooks, plannedHooks, removeOtherHooks, showHooks } from './init.ts'

/** Sets Baton up: at a terminal by questions, with everything shown before it is written; else by the options alone. */
export const init: Handler = async (given, io) => {
  const settings: [string, unknown][] = flag(given, 'shadow') ? [['shadow.enabled', true]] : []
  const isQuiet = flag(given, 'yes') || flag(given, 'dry-run') || flag(given, 'json') || !isInteractive(io)
  if (isQuiet) {
    const expected = flag(given, 'dry-run') ? undefined : await countQuestions(io)
    const code = await carryOut(given, io, changeUserConfig(io, settings), expected)
    if (code === EXIT.ok && expected && !flag(given, 'json')) await sayExpected(expected, io)
    if (code !== EXIT.ok) return code
    await offerBubblewrap(given, io)
    await tryOut(given, io)
    return code
  }
  const { code, given: chosen } = await setUpByQuestions(given, settings, io)
  // The questions no longer read the terminal: a password prompt may.
  if (!chosen) return code
  await offerBubblewrap(chosen, io)
  if (code === EXIT.ok) await tryOut(chosen, io)
  return code
}

/** Sets up by questions. Without `given`, the person wrote nothing. */
async function setUpByQuestions(
  given: Given,
  settings: readonly [string, unknown][],
  io: Io,
): Promise<{ code: number; given?: Given }> {
  using questions = askAtTerminal(io)
  const guided = await runSetupGuide(given, io, questions)
  const keys = [...settings, ...guided.settings]
  const change = withRules(changeUserConfig(io, keys), guided.rules)
  const named = [...keys.map(([key]) => key), ...(guided.rules.length > 0 ? ['permissions'] : [])]
  await showPlan(guided.given, named, change, io)
  for (;;) {
    const said = await questions.choice('\nWrite it?', ['yes', 'no', 'diff'], 'yes')
    if (said === 'yes') break
    if (said === 'no') {
      io.stdout.write('Nothing was written.\n')
      return { code: EXIT.ok }
    }
    await showHooks(guided.given, io)
    await showChange(change, io)
  }
  const done = await carryOut(guided.given, io, change)
  for (const found of otherHooks(adapters, io)) {
    const remove = `Remove the hooks of ${found.system} from ${found.path}? Both must not run at the same time.`
    if (!(await questions.yes(remove, true))) continue
    await removeOtherHooks([found], guided.given, io)
    io.stdout.write(`Removed the hooks of ${found.system} from ${found.path}\n`)
  }
  if (guided.tries && (await questions.yes('Send a test message?', true))) await tryChannels(io)
  io.stdout.write('See what the agents do: baton dashboard\n')
  return { code: done, given: guided.given }
}

const withRules = (change: UserConfigChange, rules: readonly RuleToAdd[]): UserConfigChange => ({
  ...change,
  after: rules.reduce(withRule, change.after),
})

/** Installs bubblewrap if `--sandbox` or an answer said so; otherwise says how, where the sandbox lacks it. */
async function offerBubblewrap(given: Given, io: Io): Promise<void> {
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  if (!lacksBubblewrap(io) || config.sandbox.mode === 'off') return
  const words = installWords(io)
  const isJson = flag(given, 'json')
  const say = (line: string) => (isJson ? io.stderr : io.stdout).write(`${line}\n`)
  if (!words) say('The sandbox needs bubblewrap, which is not installed: commands are judged by their text.')
  else if (!flag(given, 'sandbox'))
    say(
      `The sandbox needs bubblewrap, which is not installed. To install it (${words.join(' ')}): baton init --sandbox`,
    )
  else if (flag(given, 'dry-run')) say(`Would run: ${words.join(' ')}`)
  else {
    say(`Running: ${words.join(' ')}`)
    say(await installBubblewrap(words, io, flag(given, 'yes') || isJson))
  }
}

/** Everything that a yes would do, a line or two each; the diff is a key away. */
async function showPlan(
  given: Given,
  keys: readonly string[],
  change: UserConfigChange,
  io: Io,
): Promise<void> {
  const files = await plannedHooks(given, io)
  if (keys.length > 0) files.push({ ...change, what: `your settings (${keys.join(', ')})` })
  const lines = await setupPlan(files, io)
  io.stdout.write(
    lines.length > 0 ? `\nThis would change:\n${lines.join('\n')}\n` : '\nNo settings would change.\n',
  )
  io.stdout.write(`The launcher and the journal are kept in ${folderOf(io).dir}.\n`)
  await giveOrShow(dry(given), io)
  const words = flag(given, 'sandbox') && lacksBubblewrap(io) ? installWords(io) : undefined
  if (words) io.stdout.write(`Would run: ${words.join(' ')}\n`)
}

/** How many questions to expect, if no one could be asked how many they want. */
async function sayExpected(expected: ExpectedQuestions, io: Io): Promise<void> {
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  const { undecided } = config.permission
  const line = questionsLine(expected, undecided)
  if (line) io.stdout.write(`${line} (permission.undecided: ${undecided})\n`)
}

async function carryOut(
  given: Given,
  io: Io,
  change: UserConfigChange,
  questions?: ExpectedQuestions,
): Promise<number> {
  const isNew = change.before !== change.after && change.before === undefined
  // Nothing to say is nothing to write: a file that only holds a header would be a trace without a use.
  const isWanted = flag(given, 'shadow') || change.before !== undefined || change.after.includes(':\n')
  if (change.before !== change.after && isWanted) {
    if (flag(given, 'dry-run')) await showChange(change, io)
    else {
      writeUserConfig(change)
      if (!flag(given, 'json')) io.stdout.write(`Wrote ${change.path}${isNew ? ' (new)' : ''}\n`)
    }
  }
  const code = await installHooks(given, io, questions ? { questions } : {})
  if (code !== EXIT.ok) return code
  await giveOrShow(given, io)
  return code
}

/** After bubblewrap is installed: without it, there is no sandbox to try. */
async function tryOut(given: Given, io: Io): Promise<void> {
  if (flag(given, 'dry-run') || flag(given, 'no-trial')) return
  const lines = await tryAgents(agentsOf(given, io), folderOf(io), io)
  if (!flag(given, 'json')) for (const line of lines) io.stdout.write(`${printable(line)}\n`)
}

/** Baton's slash commands for Claude Code and its tools for the agents, by the agents' own commands. */
async function giveOrShow(given: Given, io: Io): Promise<void> {
  const agents = agentsOf(given, io)
  const isDry = flag(given, 'dry-run')
  const lines: string[] = []
  const isUsers = (text(given, 'scope') ?? 'user') === 'user'
  const lacks = isUsers && lacksPlugin(agents, io)
  if (flag(given, 'plugin') && lacks)
    lines.push(
      ...(isDry ? pluginLines().map(line => `Would run: ${line}`) : [await givePlugin(folderOf(io), io)]),
    )
  else if (lacks && !isDry)
    lines.push("Claude Code's slash commands (/issue-to-impl, /handoff, /claim): baton init --plugin")
  if (flag(given, 'mcp')) {
    // The plugin brings them along.
    const others =
      flag(given, 'plugin') || hasPlugin(io) ? agents.filter(name => name !== 'claude-code') : agents
    const steps = toolSteps(others, folderOf(io), io)
    lines.push(
      ...(isDry ? steps.map(step => `Would run: ${lineOf(step)}`) : await giveTools(steps, folderOf(io), io)),
    )
  }
  if (!flag(given, 'json')) for (const line of lines) io.stdout.write(`${printable(line)}\n`)
}

const dry = (given: Given): Given => ({ ...given, options: { ...given.options, 'dry-run': true } })

async function showChange({ path, before, after }: UserConfigChange, io: Io): Promise<void> {
  if (before === after || (before === undefined && !after.includes(':\n'))) return
  const hidden = (text: string) => text.replaceAll(/^(\s*token:\s*).*$/gm, '$1••••')
  io.stdout.write(printable(await diffOf(path, hidden(before ?? ''), hidden(after))))
}

/** By the daemon, as it would really tell. */
async function tryChannels(io: Io): Promise<void> {
  const answer = await callDaemon(folderOf(io), 'POST', '/api/page/try-channels', 30_000)
  const reached = typeof answer === 'object' && answer && 'reached' in answer ? answer.reached : []
  const names = Array.isArray(reached) ? reached.map(String) : []
  io.stdout.write(triedText(names))
}

/** A channel that is not set up, or silent by the user's settings, has no fault to show: say so. */
export const triedText = (reached: readonly string[]): string =>
  reached.length > 0
    ? `Sent by ${reached.join(', ')}.\n`
    : [
        'No channel sent the test message. Either no channel is set up (`baton doctor`), or your settings hold it back',
        '(notify.about, notify.quiet_hours), or sending failed (`baton logs --kind fault`).\n',
      ].join(' ')
