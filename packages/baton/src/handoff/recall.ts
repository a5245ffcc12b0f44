import { BatonError } from '@batonpass/contract/errors'
import type { HandoffFiles } from './handoff-files.ts'
import { ledgerOfDocument } from './ledger.ts'
import { SECTIONS, sectionText } from './sections.ts'

type Readable = Pick<HandoffFiles, 'list' | 'read' | 'ledger' | 'clean'>

/** One section of a handoff in full: what a session's context had no room for. Without a name, of the newest document. */
export async function recallSection(
  files: Readable,
  root: string,
  { section, name }: { section: string; name?: string | undefined },
): Promise<string> {
  const found = await pickDocument(files, root, name, 0)
  const { document } = await files.read(root, found)
  const ledger = (await files.ledger(root, found)) ?? ledgerOfDocument(document)
  const text = sectionText(files.clean(document), files.clean(ledger), section)
  if (text === undefined) throw unknownSection(section)
  return text
}

export const unknownSection = (section: string): BatonError =>
  new BatonError('usage', `There is no section '${section.slice(0, 60)}'`, {
    remedy: `Name one of: ${SECTIONS.join(', ')}.`,
  })

/** A document by its name or a part of it, or counted from the newest. */
export async function pickDocument(
  files: Pick<HandoffFiles, 'list'>,
  root: string,
  wanted: string | undefined,
  back: number,
): Promise<string> {
  const names = await files.list(root)
  const fitting =
    wanted === undefined ? names.slice(0, names.length - back) : names.filter(name => name.includes(wanted))
  const name = fitting.find(each => each === wanted) ?? fitting.at(-1)
  if (name === undefined)
    throw new BatonError(
      'not_found',
      wanted ? `No handoff document ${wanted.slice(0, 100)}` : 'There are not enough documents here',
      { remedy: 'See `baton handoff list`.' },
    )
  return name
}
