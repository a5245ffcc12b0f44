import type { EventOf } from '@batonpass/contract/event'
import { handoffCommand } from '../handoff/write/command.ts'
import type { Contribution } from '../ports/contribution.ts'
import type { Claims } from './claims.ts'
import { HEADING, takeNews } from './deliver-news.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Notes what a person's prompt says about the claim, and hands over the news. */
export async function readPrompt(
  event: EventOf<'PromptSubmitted'>,
  record: ClaimRecord,
  { claims, ports }: { claims: Claims; ports: ClaimPorts },
): Promise<Contribution> {
  const command = event.automatic ? undefined : handoffCommand(event.prompt)
  const byPerson = !event.automatic && !event.prompt.trimStart().startsWith(HEADING)
  const knowsOfMerge = record.told.merged !== undefined && !record.inbox.some(({ kind }) => kind === 'merged')
  if (byPerson && (knowsOfMerge || command)) {
    await ports.records.change(record, known => ({
      ...known,
      spokenSinceMerge: known.spokenSinceMerge || knowsOfMerge,
      handoffAsked: command ? !command.contextOnly : known.handoffAsked,
    }))
  }
  const news = await takeNews(ports, (await claims.at(record.project)) ?? record)
  return news ? { context: news } : {}
}

/** Whether a person answers a question about the merge that Baton has not asked yet. */
export const answersEarly = (event: EventOf<'PromptSubmitted'>, record: ClaimRecord): boolean =>
  !event.automatic &&
  record.pr !== undefined &&
  record.told.merged === undefined &&
  !event.prompt.trimStart().startsWith(HEADING) &&
  (EARLY_YES.test(event.prompt) || SAYS_CLOSE.test(event.prompt))

/** A person said "merged" or "yes" before Baton knew of the merge: looks now, so that the words are not lost. */
export async function answerEarly(
  event: EventOf<'PromptSubmitted'>,
  record: ClaimRecord,
  { claims, ports }: { claims: Claims; ports: ClaimPorts },
): Promise<Contribution> {
  const now = await claims.readNow(record)
  if (!now || now.id !== record.id) return {}
  const merged = now.pr?.state === 'merged' && now.told.merged !== undefined
  const agrees = merged && SAYS_CLOSE.test(event.prompt)
  if (agrees)
    await ports.records.change(now, known => ({
      ...known,
      spokenSinceMerge: true,
      inbox: known.inbox.filter(({ kind }) => kind !== 'merged'),
    }))
  const news = await takeNews(ports, (await claims.at(record.project)) ?? now)
  const about = `PR #${now.pr?.number ?? '?'}`
  const said = agrees
    ? `${about} is merged, and the user agreed to close issue #${now.issue}: run \`baton claim done\` and end your turn.`
    : merged
      ? `${about} is merged. Ask the user whether to close issue #${now.issue}; a yes counts from now on.`
      : `${about} is not merged yet, so nothing is closed now. Baton asks the user after the merge; a yes counts then. Do not run \`baton claim done\` before.`
  return { context: [said, news].filter(Boolean).join('\n\n') }
}

/** A yes, or a merge, at the start of what a person types. */
const EARLY_YES = /^\s*(?:yes|yep|yeah|y|ok|okay|sure|do it|go ahead)\b|\bmerged\b/i
const SAYS_CLOSE = /\bclose\b(?!\s+(?:the\s+)?(?:file|tab|window|connection|socket|pr|pull))/i
