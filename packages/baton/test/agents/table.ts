import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/adapters/agents/agent-list.ts'
import type { CapabilityName } from '../../src/ports/agent.ts'
import { claudeCode } from '../world/agents/claude.ts'
import { codex } from '../world/agents/codex.ts'
import { copilot } from '../world/agents/copilot.ts'
import { gemini } from '../world/agents/gemini.ts'
import { installAgent } from '../world/agents/install.ts'
import { opencode } from '../world/agents/opencode.ts'
import { pi } from '../world/agents/pi.ts'
import { pinned } from '../world/agents/pinned.ts'
import type { RealAgent } from '../world/agents/real.ts'
import type { Outcome } from './check.ts'
import { type AgentHandoff, cross } from './handoff-between-agents.ts'
import { BEHAVIOURS, type Behaviour, tryAgent } from './scenarios.ts'

// npm run test:agents [-- [--write] AGENT…]: every real agent through the same scenarios, and one table of what was seen.
const ALL: readonly RealAgent[] = [claudeCode, codex, opencode, gemini, copilot, pi]
const CROSSING = 'A handoff from each (row) to each other (column):'
const SEEN = /<!-- seen -->([\s\S]*)<!-- \/seen -->/

const write = process.argv.includes('--write')
const named = process.argv.flatMap(word => /^--agent=(.+)$/.exec(word)?.[1] ?? [])
const chosen = named.length > 0 ? ALL.filter(({ name }) => named.includes(name)) : ALL

const seen = new Map<RealAgent, Record<Behaviour, Outcome>>()
for (const agent of chosen) {
  const began = performance.now()
  await installAgent(agent.name)
  seen.set(agent, await tryAgent(agent))
  console.error(`${agent.name}: ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

const titleOf = (name: string) => agents.find(({ adapter }) => adapter.name === name)?.adapter.title ?? name
const title = ({ name }: RealAgent) => `${titleOf(name)} ${pinned[name].version}`
const columns = new Map(
  chosen.map(agent => [
    agent.name as string,
    [title(agent), ...BEHAVIOURS.map(name => wordFor(agent, name, seen.get(agent)?.[name]))],
  ]),
)
console.log(tableOf(chosen.map(({ name }) => columns.get(name) ?? [])))

let failures = 0
for (const [agent, outcomes] of seen)
  for (const behaviour of BEHAVIOURS) {
    const outcome = outcomes[behaviour]
    if (outcome === 'works' || isMissing(agent, behaviour)) continue
    failures++
    console.log(`\n${agent.name}, ${behaviour}: ${outcome.failed}`)
  }

let crossing: string | undefined
if (named.length === 0) {
  const began = performance.now()
  const crossings = await cross(ALL)
  console.error(`handoffs: ${((performance.now() - began) / 1000).toFixed(0)} s`)
  crossing = `${CROSSING}\n\n${matrixOf(crossings)}`
  console.log(`\n${crossing}`)
  for (const { from, to, seen } of crossings) {
    if (seen === 'works') continue
    failures++
    console.log(`\nfrom ${from} to ${to}: ${seen}`)
  }
}

if (write) {
  const page = join(import.meta.dirname, '../../../../docs/agents.md')
  const text = readFileSync(page, 'utf8')
  const [before = '', after = ''] = (SEEN.exec(text)?.[1] ?? '').split(CROSSING)
  // Agents that did not run now keep the column of their last run.
  const kept = columnsIn(before)
  const all = ALL.flatMap(({ name }) =>
    [columns.get(name) ?? kept.get(titleOf(name))].filter(column => column !== undefined),
  )
  const section = `${tableOf(all)}\n\n${crossing ?? `${CROSSING}${after}`.trim()}`
  writeFileSync(
    page,
    text.replace(SEEN, () => `<!-- seen -->\n${section}\n<!-- /seen -->`),
  )
}
process.exitCode = failures > 0 ? 1 : 0

function matrixOf(crossings: readonly AgentHandoff[]): string {
  const cell = (from: string, to: string) => {
    if (from === to) return '–'
    return crossings.find(each => each.from === from && each.to === to)?.seen === 'works' ? 'works' : 'failed'
  }
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')
  const rows = ALL.map(({ name: from }) => [titleOf(from), ...ALL.map(({ name: to }) => cell(from, to))])
  return [line(['', ...ALL.map(({ name }) => titleOf(name))]), `|---|${ALL.map(() => '---|').join('')}`]
    .concat(rows.map(line))
    .join('\n')
}

function tableOf(all: readonly (readonly string[])[]): string {
  const [titles = [], ...rows] = ['', ...BEHAVIOURS].map((name, i) => [
    name,
    ...all.map(column => column[i] ?? ''),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')
  return [line(titles), `|---|${all.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** The columns of a table, by the agent's title without its version. */
function columnsIn(table: string): Map<string, string[]> {
  const rows = table
    .trim()
    .split('\n')
    .filter((line, i) => line.startsWith('|') && i !== 1)
  const cells = rows.map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
  const [titles = []] = cells
  return new Map(
    titles.flatMap((name, i) =>
      name === '' ? [] : [[name.replace(/ [\d.]+$/, ''), cells.map(row => row[i] ?? '')]],
    ),
  )
}

function wordFor(agent: RealAgent, behaviour: Behaviour, outcome: Outcome | undefined): string {
  if (outcome === 'works') return 'works'
  return isMissing(agent, behaviour) ? 'not offered by the agent' : 'failed'
}

/** Only what the agent's folder declares as missing counts as not offered. */
function isMissing({ name }: RealAgent, behaviour: Behaviour): boolean {
  const wanted: Partial<Record<Behaviour, CapabilityName>> = {
    allow: 'allow',
    deny: 'deny',
    ask: 'ask',
    'context size': 'context',
    'end reason': 'ends',
    'continue five times': 'continue',
    resume: 'resume',
    evidence: 'evidence',
    inject: 'inject',
    judge: 'headless',
    supervisor: 'headless',
    sandbox: 'sandbox',
    'whole agent in the sandbox': 'whole',
    hosted: 'acp',
    'run in tmux and typed into': 'terminal',
    'cycle at a full context': 'terminal',
    'ask at its terminal': 'dialog',
    'usage limit': 'limits',
  }
  const key = wanted[behaviour]
  const offer = key && agents.find(({ adapter }) => adapter.name === name)?.capabilities.offers[key]
  return typeof offer === 'object' && 'missing' in offer
}
