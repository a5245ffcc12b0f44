import type { Entry, EntryBody } from '@batonpass/contract/journal'

/** What the journal of a tour amounts to, a line each. */
export function summaryOf(entries: readonly Entry[], pull: { number: number } | undefined): string[] {
  const count = (matches: (body: EntryBody) => boolean) => entries.filter(({ body }) => matches(body)).length
  const allowed = count(body => body.kind === 'decision' && body.decision === 'allow')
  const undoable = count(body => body.kind === 'decision' && body.decision === 'allow' && body.by === 'undo')
  const byRule = count(body => body.kind === 'decision' && body.decision === 'deny' && body.by !== 'person')
  const rows: [string, string][] = [
    [
      String(count(body => body.kind === 'workflow' && body.what === 'continued')),
      'stops that came too early, and Baton sent the agent on',
    ],
    [String(allowed), `steps that needed no question; ${undoable} of them can be undone`],
    [String(byRule), 'command refused by rules alone'],
    [
      String(count(body => body.kind === 'ask' && body.what === 'answered')),
      'questions, because only a person may answer them',
    ],
    [
      String(count(body => body.kind === 'handoff' && body.what === 'received')),
      'handoff to a fresh session, checked against git and by what that session knew',
    ],
    [pull ? `#${pull.number}` : 'none', 'pull request: opened, checked, merged; its issue is closed'],
  ]
  return rows.map(([figure, what]) => `${figure.padStart(4)}  ${what}`)
}
