import { AGENTS } from '@batonpass/contract/agents'
import { BatonError } from '@batonpass/contract/errors'
import type { ProcessFacts } from '../ports/ancestry.ts'

/**
 * Refuses a process that may be an agent's: one of its ancestors is an agent, an agent made its environment, or it is not
 * at a terminal whose shell started it. `terminal: 'not-needed'` for what a person's script may do as well.
 */
export function refuseAgents(
  chain: readonly ProcessFacts[] | undefined,
  terminal: 'needed' | 'not-needed' = 'needed',
): void {
  if (!chain || chain.length === 0)
    throw refusal('Baton cannot see which program started this one, so it cannot tell a person from an agent')
  const agent = chain.find(isAgent)
  if (agent)
    throw refusal(
      `This program was started by a coding agent (${nameOf(agent)}, pid ${agent.pid}), but this needs a person`,
    )
  const marker = chain.flatMap(one => one.environment).find(name => MARKERS.has(name))
  if (marker) throw refusal(`This runs in an environment that a coding agent made (${marker} is set)`)
  if (terminal === 'not-needed') return
  const [caller] = chain
  if (!caller?.terminal)
    throw refusal('This needs a person at a terminal, but the calling program has no terminal')
  // A process whose parents have exited keeps the terminal, but not the shell that it was started from.
  const { sessionLeader } = caller
  if (sessionLeader !== undefined && !chain.some(({ pid }) => pid === sessionLeader))
    throw refusal(
      'The calling program has left the shell of its terminal, so Baton cannot tell who started it',
    )
}

/** Whether a process is an agent, by its program file, its command name, or the script that an interpreter runs. */
export function isAgent({ words, program }: Pick<ProcessFacts, 'words' | 'program'>): boolean {
  const [command = '', ...rest] = words
  // A process that set its own title has the whole title in one word.
  const [title = ''] = command.split(' ')
  const names = [command, title, program ?? '', ...scriptOf(command, rest)]
  return names.some(name => PROGRAMS.has(baseOf(name)) || PACKAGES.test(name)) || isHook(words)
}

/** The program files of the supported agents. */
const PROGRAMS: ReadonlySet<string> = new Set(Object.values(AGENTS).flatMap(({ programs }) => programs))
const PACKAGES =
  /(?:^|\/)(@anthropic-ai\/claude-|@openai\/codex|opencode-ai\/|@google\/gemini-cli|@github\/copilot|@[\w-]+\/pi-coding-agent|@agentclientprotocol\/(?:claude|codex)|cursor-agent\/|claude\/versions\/)/
/** Variables that agents set for the commands they run. */
const MARKERS = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'OPENCODE',
  'COPILOT_CLI',
  'PI_CODING_AGENT',
])
const INTERPRETERS = /^(node|nodejs|bun|deno|npx|bunx|sh|bash|dash|zsh|env|python[\d.]*|MainThread)$/

/** What an interpreter runs: its first arguments that are not options. Covers `npx @openai/codex` and `deno run x`. */
function scriptOf(command: string, rest: readonly string[]): string[] {
  if (!INTERPRETERS.test(baseOf(command))) return []
  return rest.filter(word => !word.startsWith('-') && !word.includes('=')).slice(0, 2)
}

/** `baton hook …` and its launcher, which run inside an agent. */
function isHook(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const base = baseOf(word)
    return base === 'baton-hook' || (/^(baton|batonpass|cli\.js)$/.test(base) && words[index + 1] === 'hook')
  })
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const nameOf = ({ words }: ProcessFacts): string => (words[0] ?? '').replace(/[^\x20-\x7e]/g, '?').slice(-60)

const refusal = (message: string) => new BatonError('not_allowed', message, { remedy: HOW_TO_ANSWER })

/** The remedy for a caller that is not a person. */
export const HOW_TO_ANSWER =
  'Use `baton allow ASK` in a terminal of your own that no agent started, the dashboard, Telegram, or an editor that you let in (VS Code: "Baton: Let This Editor Answer"). See docs/guides/asks.md.'
