import type { Config } from '@batonpass/contract/config'
import { adapters } from '../adapters/agents/registry.ts'
import { onPath } from '../adapters/system/on-path.ts'
import type { RuleToAdd } from '../config/add-rule.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { lacksPlugin } from './agent-plugin.ts'
import { toolSteps } from './agent-tools.ts'
import { type Given, text } from './command.ts'
import { folderOf } from './daemon.ts'
import { countQuestions, type ExpectedQuestions, plural } from './expected-questions.ts'
import { installWords, lacksBubblewrap } from './install-bubblewrap.ts'
import type { Io } from './io.ts'
import { configOf } from './local-judge.ts'
import { proposeRules } from './propose-rules.ts'
import type { Questions } from './questions.ts'

export interface GuideResult {
  /** The command as the person might have typed it. */
  given: Given
  /** What goes into their own configuration. */
  settings: (readonly [key: string, value: unknown])[]
  /** Rules that go there, too. */
  rules: RuleToAdd[]
  /** A channel was set up that can be tried. */
  tries: boolean
}

type Undecided = Config['permission']['undecided']

const WORDS = {
  cautious: 'asks more often',
  standard: 'lets through what only reads or can be undone',
  trusting: 'asks only about what leaves the machine',
} as const

/** Leads through the set-up: agents, rules, how much to ask, shadow mode, and ways to be reached. Writes nothing. */
export async function runSetupGuide(given: Given, io: Io, questions: Questions): Promise<GuideResult> {
  const settings: GuideResult['settings'] = []
  const say = (line: string) => io.stdout.write(`${line}\n`)
  say('This sets up Baton. It writes nothing before you have seen the plan and said yes.\n')

  const found = adapters.filter(({ programs }) => programs.some(program => onPath(program, io.env)))
  const named = given.options.agent
  const agents: string[] = Array.isArray(named) ? named.map(String) : []
  if (agents.length === 0) {
    say(
      found.length > 0
        ? `Found: ${found.map(({ title }) => title).join(', ')}`
        : 'No coding agent found on your PATH.',
    )
    for (const { name, title } of found)
      if (found.length === 1 || (await questions.yes(`Install the hooks of ${title}?`, true)))
        agents.push(name)
  }
  // First: how much is asked, and which rules are worth having, depends on it.
  const sandbox = given.options.sandbox !== true && (await askBubblewrap(io, questions))
  say('\nRules for what an agent may run without asking:')
  for (const [preset, words] of Object.entries(WORDS)) say(`  ${preset.padEnd(9)} ${words}`)
  const preset = await questions.choice('Which?', ['cautious', 'standard', 'trusting'], 'standard')
  if (preset !== 'standard') settings.push(['permission.preset', preset])
  const undecided = await askUndecided(preset, io, questions)
  if (undecided) settings.push(['permission.undecided', undecided])
  const willHaveSandbox = sandbox || given.options.sandbox === true || !lacksBubblewrap(io)
  const rules = await proposeRules(io, questions, process.platform === 'linux' && willHaveSandbox)

  if (
    given.options.shadow !== true &&
    (await questions.yes('\nOnly watch for now, and decide nothing (shadow mode)?', false))
  )
    settings.push(['shadow.enabled', true])

  let tries = false
  if (await questions.yes('\nBe told on this desktop when something waits for you?', false)) {
    settings.push(['notify.desktop', true])
    tries = true
  }
  if (await questions.yes('Should Baton ask you in Telegram when you are away?', false)) {
    say('Create a bot with @BotFather, send it a message, and copy its token.')
    const token = await questions.text('Token:')
    const chat = await questions.text('Your chat id (from @userinfobot):')
    if (token && chat) {
      settings.push(
        ['telegram.enabled', true],
        ['telegram.token', token],
        ['telegram.chat_id', chat],
        ['telegram.allowed_user_ids', chat],
      )
      tries = true
    } else say('Telegram stays off: it needs both.')
  }
  const scope = text(given, 'scope')
  const plugin =
    given.options.plugin !== true &&
    (scope ?? 'user') === 'user' &&
    lacksPlugin(agents, io) &&
    (await questions.yes(
      "\nGive Claude Code Baton's slash commands (/issue-to-impl, /handoff, /claim; its plugin)?",
      true,
    ))
  // The plugin brings the tools along.
  const others = plugin ? agents.filter(name => name !== 'claude-code') : agents
  const canTake = toolSteps(others, folderOf(io), io).length > 0 && given.options.mcp !== true
  const mcp =
    canTake &&
    (await questions.yes("\nGive the agents Baton's tools for staged work (an MCP server)?", false))
  const more = {
    ...(scope ? { scope } : {}),
    ...(mcp ? { mcp } : {}),
    ...(plugin ? { plugin } : {}),
    ...(sandbox ? { sandbox } : {}),
  }
  return {
    given: { ...given, options: { ...given.options, agent: agents, ...more } },
    settings,
    rules,
    tries,
  }
}

/** Whether to install what the sandbox needs; not asked where it is there, or where Baton cannot install it. */
async function askBubblewrap(io: Io, questions: Questions): Promise<boolean> {
  const words = lacksBubblewrap(io) ? installWords(io) : undefined
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  if (!words || config.sandbox.mode === 'off') return false
  io.stdout.write(
    '\nIn the sandbox commands run without questions. It needs bubblewrap, which is not installed.\n',
  )
  return await questions.yes(`Install it (${words.join(' ')})?`, true)
}

/** How much to ask, with the number of questions to expect; undefined where that changes nothing. */
async function askUndecided(
  preset: keyof typeof WORDS,
  io: Io,
  questions: Questions,
): Promise<Undecided | undefined> {
  const { config } = await configOf(findWorktreeRoot(io.cwd), io)
  const count = await countQuestions(io, preset)
  io.stdout.write(`\nAsk me about${inSessions(count, io)}:\n`)
  for (const [value, words] of Object.entries(UNDECIDED) as [Undecided, string][]) {
    const expected = count.sessions > 0 ? `: ${plural(count[value], 'question')}` : ''
    io.stdout.write(`  ${value.padEnd(9)} ${words}${expected}\n`)
  }
  const values = Object.keys(UNDECIDED) as Undecided[]
  const chosen = await questions.choice('How much?', values, config.permission.undecided)
  return chosen === config.permission.undecided ? undefined : chosen
}

const UNDECIDED: Readonly<Record<Undecided, string>> = {
  respect: "what my agent's own permission mode would ask about",
  ask: 'everything that Baton cannot decide',
  defer: 'nothing but secrets and my rules; leave the rest to the agent',
}

function inSessions({ sessions }: ExpectedQuestions, io: Io): string {
  if (sessions === 0) return ''
  const which = sessions === 1 ? 'session' : `${sessions} sessions`
  return ` (counted in your last ${which}${lacksBubblewrap(io) ? ', without the sandbox' : ''})`
}
