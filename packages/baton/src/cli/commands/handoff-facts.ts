import { BatonError } from '@batonpass/contract/errors'
import { findWorktreeRoot } from '../../config/project.ts'
import { changeFact, type LedgerFact, listFacts } from '../../handoff/facts.ts'
import type { HandoffFiles } from '../../handoff/handoff-files.ts'
import { ledgerOfDocument } from '../../handoff/ledger.ts'
import { pickDocument, unknownSection } from '../../handoff/recall.ts'
import { SECTIONS } from '../../handoff/sections.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { handoffFiles } from '../handoffs.ts'
import { type Io, paint, printable } from '../io.ts'

/** The facts that go from session to session: lists them, removes some, or changes the text of one. */
export const handoffFacts: Handler = async (given, io) => {
  const [, what, ...rest] = given.positionals
  const root = findWorktreeRoot(io.cwd)
  const files = await handoffFiles(io)
  if (what === 'remove') return removeFacts(given, io, files, root, rest)
  if (what === 'edit') return editFact(given, io, files, root, rest)
  return printFacts(given, io, files, root, what)
}

async function printFacts(
  given: Given,
  io: Io,
  files: HandoffFiles,
  root: string,
  wanted: string | undefined,
): Promise<number> {
  const section = text(given, 'section')
  if (section !== undefined && !SECTIONS.some(each => each === section)) throw unknownSection(section)
  const name = await pickDocument(files, root, wanted, 0)
  const ledger = (await files.ledger(root, name)) ?? ledgerOfDocument((await files.read(root, name)).document)
  const all = listFacts(files.clean(ledger))
  const facts = all.filter(
    fact => fact.section === (section ?? fact.section) && (section !== undefined || fact.section !== 'said'),
  )
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ document: name, facts: section === undefined ? all : facts })}\n`)
    return EXIT.ok
  }
  const colour = paint(io)
  for (const each of new Set(facts.map(fact => fact.section))) {
    io.stdout.write(`${each}\n`)
    for (const fact of facts.filter(one => one.section === each))
      io.stdout.write(
        `  ${colour('dim', fact.id)}  ${printable(oneLine(fact.text))}${colour('dim', originText(fact))}\n`,
      )
  }
  const said = all.length - facts.length
  if (facts.length === 0) io.stdout.write(`${name} has no facts${section ? ` in ${section}` : ''}.\n`)
  else if (section === undefined && said > 0)
    io.stdout.write(`${colour('dim', `and ${said} passages of the agents: --section said`)}\n`)
  return EXIT.ok
}

async function removeFacts(
  given: Given,
  io: Io,
  files: HandoffFiles,
  root: string,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0)
    throw new BatonError('usage', 'Name the facts to remove', { remedy: 'Their ids: baton handoff facts' })
  const gone: LedgerFact[] = []
  for (const id of ids) gone.push(await changeEverywhere(files, root, id, undefined))
  report(given, io, gone, 'Removed')
  return EXIT.ok
}

async function editFact(
  given: Given,
  io: Io,
  files: HandoffFiles,
  root: string,
  [id, ...words]: readonly string[],
): Promise<number> {
  const replacement = words.join(' ').trim()
  if (id === undefined || replacement === '')
    throw new BatonError('usage', 'Name the fact and its new text', {
      remedy: 'For example: baton handoff facts edit 3fa2c18b "Use PostgreSQL 16"',
    })
  const before = await changeEverywhere(files, root, id, replacement)
  report(given, io, [{ ...before, text: replacement }], 'Changed')
  return EXIT.ok
}

/** Changes the fact in the ledger of every document of the project, and returns what it was. */
async function changeEverywhere(
  files: HandoffFiles,
  root: string,
  id: string,
  replacement: string | undefined,
): Promise<LedgerFact> {
  let found: LedgerFact | undefined
  for (const name of await files.list(root)) {
    const ledger = await files.ledger(root, name)
    const changed = ledger && changeFact(ledger, id, replacement)
    if (!ledger || !changed) continue
    found = listFacts(ledger).find(fact => fact.id === id)
    await files.storeLedger(root, name, changed)
  }
  if (found) return found
  throw new BatonError('not_found', `No fact ${id.slice(0, 40)} in this project`, {
    remedy: 'See `baton handoff facts` for the ids.',
  })
}

function report(given: Given, io: Io, facts: readonly LedgerFact[], done: string): void {
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ facts })}\n`)
  else
    for (const { section, text: words } of facts)
      io.stdout.write(`${done} in ${section}: ${printable(oneLine(words))}\n`)
}

/** Where a fact comes from, in words. */
function originText({ origin }: LedgerFact): string {
  if (!origin) return ''
  const { session, at, replaced_by: by } = origin
  const parts = [
    ...(by ? [`replaced by ${by}`] : []),
    ...(session ? [`session ${session.slice(0, 8)}`] : []),
    ...(at ? [at.slice(0, 16).replace('T', ' ')] : []),
  ]
  return parts.length > 0 ? `  (${printable(parts.join(', '))})` : ''
}

const oneLine = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ')
  return line.length <= 160 ? line : `${line.slice(0, 160)} …`
}
