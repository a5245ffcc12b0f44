import type { Entry, EntryBody } from '@batonpass/contract/journal'

/** Summarizes a tour's journal, one line per figure. */
export function summaryOf(entries: readonly Entry[], pull: { number: number } | undefined): string[] {
  const count = (matches: (body: EntryBody) => boolean) => entries.filter(({ body }) => matches(body)).length
  const allowed = count(body => body.kind === 'decision' && body.decision === 'allow')
  const undoable = count(body => body.kind === 'decision' && body.decision === 'allow' && body.by === 'undo')
  const byRule = count(body => body.kind === 'decision' && body.decision === 'deny' && body.by !== 'person')
  const rows: [string, string][] = [
    [
      String(count(body => body.kind === 'workflow' && body.what === 'continued')),
      'early stops that Baton continued',
    ],
    [String(allowed), `steps allowed without asking you; ${undoable} of them can be undone`],
    [String(byRule), 'command denied by the rules'],
    [
      String(count(body => body.kind === 'ask' && body.what === 'answered')),
      'questions that only a person may answer',
    ],
    [
      String(count(body => body.kind === 'handoff' && body.what === 'received')),
      'handoff to a fresh session, checked against git',
    ],
    [pull ? `#${pull.number}` : 'none', 'pull request opened, checked and merged; issue closed'],
  ]
  return rows.map(([figure, what]) => `${figure.padStart(4)}  ${what}`)
}
