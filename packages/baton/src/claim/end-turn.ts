import { BatonError } from '@batonpass/contract/errors'
import type { EventOf } from '@batonpass/contract/event'
import type { Contribution } from '../ports/contribution.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import { adoptClaim } from './begin-session.ts'
import type { Claims } from './claims.ts'
import { HEADING, sendBack } from './deliver-news.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** Advances the claim when its session stops, and says how the session continues. */
export async function endTurn(
  event: EventOf<'TurnEnded'>,
  context: ReactionContext,
  mine: ClaimRecord | undefined,
  { claims, ports }: { claims: Claims; ports: ClaimPorts },
): Promise<Contribution> {
  let record = mine
  try {
    record ??= await adoptClaim(context, { claims, ports })
  } catch (error) {
    return error instanceof BatonError ? { notice: `Baton ignores .agent-claim.json: ${error.message}` } : {}
  }
  if (!record) return {}
  const { did, notice, fix } = await claims.stopped(record, {
    said: event.lastMessage,
    transcript: event.transcript ?? context.session.transcript,
  })
  const now = await claims.at(context.project)
  const told = notice ? { notice } : {}
  if (now?.id !== record.id) {
    claims.farewell(event.session)
    return told
  }
  const prompt = fix
    ? await fixPrompt(now, fix, ports)
    : ((await sendBack(ports, now)) ?? (await handoffPrompt(now, ports)))
  const open = prompt ? undefined : await notClosed(now, ports)
  if (open) return { notice: [notice, open].filter(Boolean).join(' ') }
  if (prompt)
    return {
      ...told,
      continuation: { rank: 'claim', prompt, note: `Issue #${now.issue}: ${oneLine(prompt)}` },
    }
  // Once the branch is handed off the turn ends, even if a workflow would continue.
  if ((did === 'opened' || did === 'proving') && notice)
    return { continuation: { rank: 'claim', stop: notice } }
  // Shown only together with another reactor's prompt, which may ask for a pull request.
  return did === 'nothing' && now.pr === undefined ? { ...told, context: readyMessage(now.issue) } : told
}

/** Why an issue that the agent marked as done stays open, once; otherwise the person would wait for nothing. */
async function notClosed(record: ClaimRecord, ports: ClaimPorts): Promise<string | undefined> {
  const found = await ports.signals.read(record.project)
  if (found.kind !== 'claim' || found.file.phase !== 'done' || record.closing === 'yes') return undefined
  const merged = record.pr === undefined || record.pr.state === 'merged'
  const why = merged ? `merged ${record.closing}` : 'open'
  if (record.told.open === why) return undefined
  await ports.records.change(record, known => ({ ...known, told: { ...known.told, open: why } }))
  return merged
    ? `Issue #${record.issue} stays open until you agree: answer in \`baton asks\`, or tell the agent to close it.`
    : `Issue #${record.issue} stays open: its pull request is not merged.`
}

/** Sends the agent back to fix a problem, once for each problem. */
async function fixPrompt(record: ClaimRecord, fix: string, ports: ClaimPorts): Promise<string | undefined> {
  const { claim } = await ports.config(record.project)
  if (record.told.mend === fix || record.fixes >= claim.max_fixes) return undefined
  await ports.records.change(record, known => ({
    ...known,
    fixes: known.fixes + 1,
    told: { ...known.told, mend: fix },
  }))
  return `${HEADING} issue #${record.issue}: ${fix}`
}

/** Reminds the agent once to hand off the branch, if a person asked for `/handoff` and it has not done so. */
async function handoffPrompt(record: ClaimRecord, ports: ClaimPorts): Promise<string | undefined> {
  if (!record.handoffAsked) return undefined
  await ports.records.change(record, known => ({ ...known, handoffAsked: false }))
  const found = await ports.signals.read(record.project)
  return found.kind === 'claim' && found.file.phase === 'coding' ? readyMessage(record.issue) : undefined
}

const readyMessage = (issue: number): string =>
  `Issue #${issue} is claimed here and its branch is not handed off yet. Do not open a pull request yourself. If the work is complete: commit it, run the tests, and run \`baton claim ready --summary "<what changes, in one line>"\`. If it is not complete, say what is missing and end your turn.`

const oneLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? ''
