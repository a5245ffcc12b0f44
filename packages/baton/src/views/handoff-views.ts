import type { HandoffView } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { HandoffFiles } from '../handoff/handoff-files.ts'
import type { Store } from '../ports/store.ts'

/** The handoff documents that this session wrote or started with. */
export async function handoffsOf(
  session: Session,
  files: HandoffFiles,
  store: Store,
): Promise<HandoffView[]> {
  const { project } = session
  if (project === undefined) return []
  const entries = await store.entries({ session: session.id, kind: 'handoff', order: 'desc', limit: 100 })
  const named = new Set(
    entries.flatMap(({ body }) => (body.kind === 'handoff' && body.document ? body.document : [])),
  )
  const views = await Promise.all(
    [...named].slice(0, 20).map(async name => {
      try {
        const [text, { document, findings }] = await Promise.all([
          files.text(project, name),
          files.read(project, name),
        ])
        return { name, text, document, findings, course: courseOf(entries, name, named.size === 1) }
      } catch {
        // A person deleted the document; only the journal still mentions it.
        return undefined
      }
    }),
  )
  return views.filter(view => view !== undefined)
}

/** The journal entries about one document. Entries without a document name count if there is only one document. */
function courseOf(entries: readonly Entry[], name: string, only: boolean): HandoffView['course'] {
  return entries.toReversed().flatMap(({ at, body }) => {
    if (body.kind !== 'handoff' || (body.document ?? (only ? name : undefined)) !== name) return []
    return [{ at, what: body.what, findings: body.findings ?? [] }]
  })
}
