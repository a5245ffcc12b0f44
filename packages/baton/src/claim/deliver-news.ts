import { visible } from '@batonpass/contract/visible'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord, PendingNews } from './record.ts'

/** The prefix of every prompt that Baton types into a session. */
export const HEADING = '[Baton]'

/** Queues news for the agent. It replaces undelivered news of the same kind. */
export async function queueNews(ports: ClaimPorts, record: ClaimRecord, news: PendingNews): Promise<void> {
  await ports.records.change(record, known => ({
    ...known,
    // The text quotes other people: invisible characters could hide instructions that only the agent reads.
    inbox: [...known.inbox.filter(({ kind }) => kind !== news.kind), { ...news, text: visible(news.text) }],
  }))
}

/** Returns all queued news as context and empties the queue. */
export async function takeNews(ports: ClaimPorts, record: ClaimRecord): Promise<string | undefined> {
  if (record.inbox.length === 0) return undefined
  await ports.records.change(record, known => ({ ...known, inbox: [] }))
  await journalTold(ports, record, 'at its next hook')
  return contextOf(record)
}

/** Returns the prompt that sends the agent back to work; undefined if there is nothing to do or the limit is reached. */
export async function sendBack(ports: ClaimPorts, record: ClaimRecord): Promise<string | undefined> {
  if (!record.inbox.some(({ act }) => act)) return undefined
  const { claim } = await ports.config(record.project)
  if (record.fixes >= claim.max_fixes) return undefined
  await ports.records.change(record, known => ({ ...known, inbox: [], fixes: known.fixes + 1 }))
  await journalTold(ports, record, `as its next task (${record.fixes + 1}/${claim.max_fixes})`)
  return promptOf(record)
}

/** Wakes an idle agent: types into its terminal, or resumes its session. */
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
  [`News about issue #${issue}, which this session holds:`, ...inbox.map(({ text }) => text)].join('\n\n')

const promptOf = (record: ClaimRecord): string => {
  const { issue, inbox } = record
  const acts = inbox.some(({ act }) => act)
  return [
    `${HEADING} issue #${issue}:`,
    ...inbox.map(({ text }) => text),
    ...(acts
      ? [
          'Fix this on the same branch: find the cause, change the code, run the tests and commit. Then run `baton claim ready`, which pushes the branch, rebased or not, and end your turn. Baton opens the pull request, or has opened it; do not open another. Do not weaken a test or check to make it pass.',
        ]
      : []),
  ].join('\n\n')
}

async function journalTold(ports: ClaimPorts, record: ClaimRecord, how: string): Promise<void> {
  const kinds = record.inbox.map(({ kind }) => kind).join(', ')
  const { id: claim, issue } = record
  await ports.journal(record, { kind: 'claim', what: 'told', claim, issue, reason: `${kinds} ${how}` })
}
