import { execFileSync } from 'node:child_process'
import { systemClock } from '../../../adapters/system/clock.ts'

export interface Special {
  reply: string
  file?: { path: string; text: string }
}

/** How far the script came. */
interface Progress {
  cwd: string
  step: number
  /** What was said when a person refused a command. */
  refusal: string | undefined
}

/** Prompts of Baton that want something else than the next step of the script. */
export function replyTo(prompt: string, { cwd, step, refusal }: Progress): Special | undefined {
  if (prompt.includes('<handoff-check>'))
    return {
      reply: `<handoff-check>\ngoal: ${GOAL}\nbranch: ${branchIn(cwd)}\nnext: ${NEXT}\ninstructions: ${refusal ? `${refusal} (reason of a refusal)` : 'none'}\n</handoff-check>`,
    }
  const path = [...prompt.matchAll(/(\.bmad\/handoffs\/handoff-[\d-]+\.md)/g)].at(-1)?.[1]
  if (path !== undefined && /write the handoff document/i.test(prompt))
    return {
      file: { path, text: document(cwd, step, refusal) },
      reply: `The handoff document is in ${path}.`,
    }
  return undefined
}

const GOAL = 'Apply discount codes in the cart (issue 42)'
const NEXT = 'Explain discount codes in the README'

const gitIn = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
export const branchIn = (cwd: string): string => gitIn(cwd, 'branch', '--show-current')

/** Written from git, so that it is true. */
function document(cwd: string, step: number, refusal: string | undefined): string {
  const now = new Date(systemClock.now()).toISOString().slice(0, 19).replace('T', ' ')
  const done = ['A test for discount codes in `cart.test.js`', 'Discount codes in `cart.js`'].slice(0, step)
  return `---
branch: ${branchIn(cwd)}
head: ${gitIn(cwd, 'rev-parse', 'HEAD')}
tests:
  command: node --test
  result: passed
todos: [${NEXT}]
---

# Handoff Document

**Created**: ${now}
**Context Usage**: 87%
**Project**: shop

## Current Work

**Active Epic**: ${GOAL}
**Progress**: 80% complete
**Current Task**: ${NEXT}

## Completed Since Last Handoff

${done.map(line => `- [x] ${line}`).join('\n')}

## Next Steps

1. ${NEXT}
2. Run \`node --test\` again and commit

## Critical State

- An unknown code changes nothing: a test checks it

## Blockers / Issues

- None

## Notes

- ${refusal ? `A command was refused: ${refusal}` : 'No command was refused'}
`
}
