import { PassThrough } from 'node:stream'
import { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import { expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { handoffContext } from '../../src/handoff/context-form.ts'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { addOrigins } from '../../src/handoff/fact-origins.ts'
import { changeFact, factId, listFacts } from '../../src/handoff/facts.ts'
import { updateLedger } from '../../src/handoff/ledger.ts'
import { sectionText } from '../../src/handoff/sections.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const ledger = HandoffLedger.parse({
  goal: 'Add rate limits',
  instructions: ['Use tabs', 'Never push'],
  decisions: ['[unverified: no] Kafka', 'One table'],
  last_command: '`npm test` failed',
})
const removed = (text: string) => changeFact(ledger, factId(text), undefined) ?? ledger

it('Every fact has an id that depends on its words alone', () => {
  expect(listFacts(ledger).map(({ section, text }) => `${section}: ${text}`)).toEqual([
    'goal: Add rate limits',
    'instructions: Use tabs',
    'instructions: Never push',
    'decisions: [unverified: no] Kafka',
    'decisions: One table',
    'tests: `npm test` failed',
  ])
  expect(factId('[unverified: no] Kafka')).toBe(factId('kafka.'))
})

it('A removed fact does not come back, from the transcript or from the document', () => {
  const evidence = {
    transcript: undefined,
    prompts: ['Never push', 'Add rate limits'],
  } as unknown as Evidence
  const document = HandoffDocument.parse({ constraints: ['Never push'], nextSteps: ['Go'] })
  const after = updateLedger(removed('Never push'), evidence, document)
  expect(after.instructions).toEqual(['Use tabs'])
  expect(after.removed).toEqual(['Never push'])
  expect(handoffContext(document, { ledger: after })).not.toContain('Never push')
  expect(sectionText(document, after, 'instructions')).toBe('- Use tabs\n')
  expect(updateLedger(removed('Add rate limits'), evidence, document).goal).not.toBe('Add rate limits')
})

it('An edited fact keeps its place', () => {
  const edited = changeFact(ledger, factId('Use tabs'), 'Use spaces')
  expect(edited?.instructions).toEqual(['Use spaces', 'Never push'])
  expect(edited?.removed).toEqual(['Use tabs'])
  expect(changeFact(ledger, 'ffffffff', undefined)).toBeUndefined()
})

it('Each fact keeps the session that it comes from, and a replaced one names its replacement', () => {
  const at = Date.UTC(2026, 0, 22, 14)
  const first = addOrigins(ledger, undefined, { session: 'one', at })
  const grown = HandoffLedger.parse({
    ...ledger,
    instructions: ['Never push', 'Use spaces instead of tabs'],
    replaced: ['Use tabs'],
  })
  const second = addOrigins(grown, first, { session: 'two', at: at + 60_000 })
  const origins = Object.fromEntries(listFacts(second).map(({ text, origin }) => [text, origin]))
  expect(origins).toMatchObject({
    'Never push': { session: 'one', at: '2026-01-22T14:00:00.000Z' },
    'Use tabs': { session: 'one', replaced_by: factId('Use spaces instead of tabs') },
    'Use spaces instead of tabs': { session: 'two', at: '2026-01-22T14:01:00.000Z' },
  })
  expect(Object.keys(second.origins)).toHaveLength(listFacts(second).length)
})

it('`baton handoff facts` lists, removes and edits, and says what is wrong', async () => {
  await using repo = await gitRepo()
  await using folder = scratch()
  repo.write('.bmad/handoffs/handoff-2026-01-22-14-30.md', '# Handoff Document\n\n## Next Steps\n\n1. Go\n')
  repo.write('.bmad/handoff-facts/handoff-2026-01-22-14-30.json', JSON.stringify(ledger))
  const baton = async (...args: string[]): Promise<string> => {
    let said = ''
    const output = {
      write(text: string) {
        said += text
      },
    }
    const io = {
      stdin: new PassThrough(),
      stdout: output,
      stderr: output,
      env: { BATON_HOME: folder.path, PATH: '/nowhere' },
      cwd: repo.path,
      home: folder.path,
      isTTY: false,
      signal: new AbortController().signal,
    }
    await main(args, COMMANDS, io)
    return said
  }
  const id = factId('Never push')
  expect(await baton('handoff', 'facts')).toContain(`  ${id}  Never push\n`)
  expect(await baton('handoff', 'facts', 'remove', id)).toBe('Removed in instructions: Never push\n')
  await baton('handoffs', 'facts', 'edit', factId('Use tabs'), 'Use', 'spaces')
  const listed = await baton('handoff', 'facts', '--section', 'instructions', '--json')
  expect(JSON.parse(listed)).toMatchObject({
    facts: [{ id: factId('Use spaces'), section: 'instructions', text: 'Use spaces' }],
  })
  expect(await baton('handoff', 'show', '--section', 'instructions')).toBe('- Use spaces\n')
  expect(await baton('handoff', 'facts', 'remove', id)).toContain(`No fact ${id} in this project`)
  expect(await baton('handoff', 'facts', 'edit', id)).toContain('Name the fact and its new text')
})
