import { Cycle } from '@batonpass/contract/cycle'
import { HandoffDocument } from '@batonpass/contract/handoff'
import { expect, it } from 'vitest'
import { contextPrompt } from '../../../src/chat/write-handoff.ts'
import { handoffContext } from '../../../src/handoff/context-form.ts'
import {
  continuePrompt,
  repeatEssentialsPrompt,
  requestDocumentPrompt,
  resumePrompt,
} from '../../../src/handoff/cycle/prompts.ts'
import { userPromptText } from '../../../src/session/transcript/collect-facts.ts'
import { HEADING } from '../../../src/work/workflows/continuation-prompt.ts'
import { sessionId } from '../../world/journal.ts'

const at = '2026-01-01T00:00:00.000Z'
const cycle = Cycle.parse({
  id: 'cyc_00000000000000000001',
  version: 0,
  session: sessionId(1),
  nativeSession: 'n',
  agent: 'claude-code',
  project: '/p',
  place: '%1',
  reason: 'context',
  step: 'due',
  startedAt: at,
  changedAt: at,
  document: 'handoff-2026-01-22-14-30.md',
})
const context = handoffContext(HandoffDocument.parse({ facts: {}, goal: 'old' }), {
  path: '.bmad/handoffs/a.md',
})

it.each([
  ['asking for a document', requestDocumentPrompt(87)],
  ['resuming', resumePrompt(cycle)],
  ['going on', continuePrompt(cycle)],
  ['asking again', repeatEssentialsPrompt(cycle, ['the goal'])],
  ['a continuation', `${HEADING}, it is currently 1/10 continuations.`],
  ['news of a claim', '[Baton] issue #42:\n\nchecks FAILED'],
  ['asking a hosted session', contextPrompt(undefined)],
  ['a handoff by hand', '/baton:handoff the endpoint'],
  [
    'an agent that takes over',
    `${context}\n\nContinue the work from there: begin with the first of the next steps.`,
  ],
  [
    'an agent that took over in an earlier version',
    `${context}\n\nGo on with the work from there: begin with the first of the next steps.`,
  ],
])('a prompt that Baton sent is not an instruction of the person: %s', (_, words) => {
  expect(userPromptText(words)).toBe('')
})

it('what a person says after a document that was given is theirs alone', () => {
  expect(userPromptText(`${context}\n\nuse argon2, not bcrypt`)).toBe('use argon2, not bcrypt')
  for (const words of ['Read the handoff docs', 'handoff please', 'go on', '/handoffs are slow'])
    expect(userPromptText(words)).toBe(words)
})
