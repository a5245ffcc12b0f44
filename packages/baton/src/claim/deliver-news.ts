import { visible } from '@batonpass/contract/visible'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord, PendingNews } from './record.ts'

/** How Baton's own words begin when they are typed into a session. */
export const HEADING = '[Baton]'

/** Puts news where the agent hears it next: news of the same kind replaces what it has not heard yet. */
export async function queueNews(ports: ClaimPorts, record: ClaimRecord, news: PendingNews): Promise<void> {
  await ports.records.change(record, known => ({
    ...known,
    // Others' words are in it: what a person would not see there, the agent is not to read as words.
    inbox: [...known.inbox.filter(({ kind }) => kind !== news.kind), { ...news, text: visible(news.text) }],
  }))
}

/** Everything that waits, as context; it counts as heard. */
export async function takeNews(ports: ClaimPorts, record: ClaimRecord): Promise<string | undefined> {
  if (record.inbox.length === 0) return undefined
  await ports.records.change(record, known => ({ ...known, inbox: [] }))
  await journalTold(ports, record, 'at its next hook')
  return contextOf(record)
}

/** What is to be done, as the prompt that sends the agent back; undefined where there is nothing, or it was sent back often enough. */
export async function sendBack(ports: ClaimPorts, record: ClaimRecord): Promise<string | undefined> {
  if (!record.inbox.some(({ act }) => act)) return undefined
  const { claim } = await ports.config(record.project)
  if (record.fixes >= claim.max_fixes) return undefined
  await ports.records.change(record, known => ({ ...known, inbox: [], fixes: known.fixes + 1 }))
  await journalTold(ports, record, `as its next task (${record.fixes + 1}/${claim.max_fixes})`)
  return promptOf(record)
}

/** Reaches an agent that rests: by typing into its terminal, or by taking its session up again. */
export async function wake(ports: ClaimPorts, record: ClaimRecord): Promise<boolean> {
  const { claim } = await ports.config(record.project)
  const acts = record.inbox.some(({ act }) => act)
  const merged = record.inbox.some(({ kind }) => kind === 'merged')
  if (claim.wake === 'off' || !(acts || merged) || (acts && record.fixes >= claim.max_fixes)) return false
  const text = promptOf(record)
  const typed =
    record.pane && record.agent && !record.sessionEnded
      ? await ports.type(record.pane, text, record.agent)
      : 'gone'
  const resumed = typed === 'gone' && claim.wake === 'resume' && acts && (await ports.resume(record, text))
  if (typed !== 'taken' && !resumed) return false
  await ports.records.change(record, known => ({
    ...known,
    inbox: known.inbox.filter(
      news => !record.inbox.some(({ kind, text }) => kind === news.kind && text === news.text),
    ),
    fixes: known.fixes + (acts ? 1 : 0),
  }))
  await journalTold(ports, record, typed === 'taken' ? 'typed into its terminal' : 'by resuming its session')
  return true
}

const contextOf = ({ issue, inbox }: ClaimRecord): string =>
  [`News of issue #${issue}, which this session holds:`, ...inbox.map(({ text }) => text)].join('\n\n')

const promptOf = (record: ClaimRecord): string => {
  const { issue, inbox } = record
  const acts = inbox.some(({ act }) => act)
  return [
    `${HEADING} issue #${issue}:`,
    ...inbox.map(({ text }) => text),
    ...(acts
      ? [
          'Mend this on the same branch: find the cause, change the code, run the tests and commit. Then run `baton claim ready`, which pushes the branch, rebased or not, and end your turn. The pull request is there already; do not open another. Weaken no test or check to make it pass.',
        ]
      : []),
  ].join('\n\n')
}

async function journalTold(ports: ClaimPorts, record: ClaimRecord, how: string): Promise<void> {
  const kinds = record.inbox.map(({ kind }) => kind).join(', ')
  const { id: claim, issue } = record
  await ports.journal(record, { kind: 'claim', what: 'told', claim, issue, reason: `${kinds} ${how}` })
}
