import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import type { AgentName } from '@batonpass/contract/event'
import { agents } from '../adapters/agents/agent-list.ts'
import { onPath } from '../adapters/system/on-path.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { replaceFile } from '../daemon/secret-file.ts'
import type { Io } from './io.ts'

/** By a command of its own, which knows best where that is. */
const wordsOf = (agent: AgentName) => agents.find(({ adapter }) => adapter.name === agent)?.launches?.tools
const TELLABLE: readonly AgentName[] = agents.flatMap(({ adapter, launches }) =>
  launches?.tools ? adapter.name : [],
)
const WITHIN_MS = 60_000

/** One agent to which Baton's tools can be given. */
export interface ToolStep {
  agent: AgentName
  program: string
  words: readonly string[]
}

/** Those of these agents that are here, can be told, and were not told before. */
export function toolSteps(chosen: readonly string[], folder: StateFolder, io: Io): ToolStep[] {
  const done = registered(folder)
  const own = join(dirname(folder.launcher), 'baton')
  return TELLABLE.filter(agent => chosen.includes(agent) && !done.includes(agent)).flatMap(agent => {
    const program = AGENTS[agent].programs.find(name => onPath(name, io.env))
    const words = wordsOf(agent)?.add(own)
    return program && words ? [{ agent, program, words }] : []
  })
}

/** Runs the steps; gives a line for people about each. What was done is noted, so that `uninstall` takes back just that. */
export async function giveTools(steps: readonly ToolStep[], folder: StateFolder, io: Io): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps) {
    const title = AGENTS[step.agent].title
    if (await ran(step.program, step.words, io)) {
      note(folder, [...registered(folder), step.agent])
      lines.push(`${title} has Baton's tools (MCP server baton)`)
    } else lines.push(`${title} did not take Baton's tools; try: ${lineOf(step)}`)
  }
  return lines
}

export async function takeTools(folder: StateFolder, io: Io): Promise<string[]> {
  const lines: string[] = []
  for (const agent of registered(folder)) {
    const { title, programs } = AGENTS[agent]
    const program = programs.find(name => onPath(name, io.env))
    const words = wordsOf(agent)?.remove ?? []
    const gone = program !== undefined && (await ran(program, words, io))
    lines.push(
      gone
        ? `Removed Baton's tools from ${title}`
        : `Could not take Baton's tools from ${title}; run: ${programs[0]} ${words.join(' ')}`,
    )
  }
  rmSync(noteFile(folder), { force: true })
  return lines
}

export const lineOf = ({ program, words }: ToolStep): string => [program, ...words].join(' ')

const noteFile = ({ dir }: StateFolder): string => join(dir, 'mcp-agents')
const note = (folder: StateFolder, agents: readonly AgentName[]): void =>
  replaceFile(noteFile(folder), `${agents.join('\n')}\n`, 0o600)

function registered(folder: StateFolder): AgentName[] {
  if (!existsSync(noteFile(folder))) return []
  const lines = readFileSync(noteFile(folder), 'utf8').split('\n')
  return TELLABLE.filter(agent => lines.includes(agent))
}

/** Runs one of an agent's own commands; true when it succeeded. */
export function ran(program: string, words: readonly string[], io: Io): Promise<boolean> {
  return new Promise(resolve => {
    const options = { env: io.env as NodeJS.ProcessEnv, cwd: io.home, timeout: WITHIN_MS }
    execFile(program, words, options, error => resolve(!error)).stdin?.end()
  })
}
