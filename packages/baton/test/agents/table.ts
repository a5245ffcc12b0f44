import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../src/adapters/agents/agent-list.ts'
import type { Wanted } from '../../src/ports/agent.ts'
import { claudeCode } from '../world/agents/claude.ts'
import { codex } from '../world/agents/codex.ts'
import { copilot } from '../world/agents/copilot.ts'
import { gemini } from '../world/agents/gemini.ts'
import { installAgent } from '../world/agents/install.ts'
import { opencode } from '../world/agents/opencode.ts'
import { pi } from '../world/agents/pi.ts'
import { pinned } from '../world/agents/pinned.ts'
import type { RealAgent } from '../world/agents/real.ts'
import { cross } from './crossing.ts'
import { BEHAVIOURS, type Behaviour, type Outcome, tryAgent } from './scenarios.ts'

// npm run test:agents [-- [--write] AGENT…]: every real agent through the same scenarios, and one table of what was seen.
const ALL: readonly RealAgent[] = [claudeCode, codex, opencode, gemini, copilot, pi]
const write = process.argv.includes('--write')
const named = process.argv.slice(2).filter(word => !word.startsWith('--'))
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
const rows = BEHAVIOURS.map(behaviour => {
  const cells = chosen.map(agent => wordFor(agent, behaviour, seen.get(agent)?.[behaviour]))
  return `| ${behaviour} | ${cells.join(' | ')} |`
})
let table = [
  `| | ${chosen.map(title).join(' | ')} |`,
  `|---|${chosen.map(() => '---|').join('')}`,
  ...rows,
].join('\n')
let failures = 0
if (named.length === 0) {
  const steps = await cross(ALL)
  const lines = steps.map(({ from, to, seen }) => `| ${titleOf(from)} | ${titleOf(to)} | ${seen} |`)
  table += `\n\nA handoff from each to the next:\n\n| from | to | |\n|---|---|---|\n${lines.join('\n')}`
  failures += steps.filter(({ seen }) => seen !== 'works').length
}
console.log(table)

for (const [agent, outcomes] of seen)
  for (const behaviour of BEHAVIOURS) {
    const outcome = outcomes[behaviour]
    if (outcome === 'works' || isMissing(agent, behaviour)) continue
    failures++
    console.log(`\n${agent.name}, ${behaviour}: ${outcome.failed}`)
  }
if (write) {
  const page = join(import.meta.dirname, '../../../../docs/agents.md')
  const text = readFileSync(page, 'utf8')
  writeFileSync(
    page,
    text.replace(/<!-- seen -->[\s\S]*<!-- \/seen -->/, () => `<!-- seen -->\n${table}\n<!-- /seen -->`),
  )
}
process.exitCode = failures > 0 ? 1 : 0

function wordFor(agent: RealAgent, behaviour: Behaviour, outcome: Outcome | undefined): string {
  if (outcome === 'works') return 'works'
  return isMissing(agent, behaviour) ? 'not offered by the agent' : 'failed'
}

/** Only what the agent's folder declares as missing counts as not offered. */
function isMissing({ name }: RealAgent, behaviour: Behaviour): boolean {
  const wanted: Partial<Record<Behaviour, Wanted>> = {
    allow: 'allow',
    deny: 'deny',
    ask: 'ask',
    'context size': 'context',
    'end reason': 'ends',
    'continue five times': 'continue',
    resume: 'resume',
    evidence: 'evidence',
    inject: 'inject',
  }
  const key = wanted[behaviour]
  const offer = key && agents.find(({ adapter }) => adapter.name === name)?.capabilities.offers[key]
  return typeof offer === 'object' && 'missing' in offer
}
