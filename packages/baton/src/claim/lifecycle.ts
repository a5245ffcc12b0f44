import type { ClaimEntry, ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { ForgeError, type PullRequestStatus } from '../ports/forge.ts'
import type { LeaseName } from '../ports/lease.ts'
import { askToClose } from './closing.ts'
import { checksLine, newsOf } from './news.ts'
import { confirmed, nextStep, opened, polled, STATUS, synced } from './phases.ts'
import type { ClaimPorts } from './ports.ts'
import { prBody, prTitle } from './pr-text.ts'
import type { ClaimRecord } from './record.ts'
import type { SignalFound } from './signal-file.ts'
import { tellNews } from './telling.ts'
import { isPassing, troubleOf } from './trouble.ts'

/** What came of one look at a claim. */
export interface StepOutcome {
  did: 'nothing' | 'synced' | 'opened' | 'refused' | 'polled' | 'asked' | 'closed' | 'ended' | 'failed'
  /** For whoever is at the agent's terminal. */
  notice?: string
  /** The agent can mend what stands in the way, by this. */
  mend?: string
}

export interface Trigger {
  why: 'stop' | 'tick' | 'nudge'
  /** No turn of the claim's agent is under way. */
  resting: boolean
}

const NOTHING: StepOutcome = { did: 'nothing' }
const MOST_STEPS = 6

/** Carries one claim as far as it goes now. Every outside action looks first and is done only while the lease is ours. */
export async function carry(ports: ClaimPorts, start: ClaimRecord, trigger: Trigger): Promise<StepOutcome> {
  let outcome = NOTHING
  let nudged = trigger.why === 'nudge'
  // Several steps may follow at once: opened, then synced; asked and agreed, then closed.
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const record = await ports.records.at(start.project)
    if (record?.id !== start.id || record.stage === 'claiming') return outcome
    if (record.stage === 'ending') return (await end(ports, record)) ?? outcome
    const now = ports.clock.now()
    const waits =
      record.notBefore !== undefined && record.notBefore > now && !nudged && trigger.why !== 'stop'
    if (record.lease.lost || waits) return outcome
    try {
      const done = await once(ports, record, { ...trigger, nudged })
      nudged = false
      if (done.did === 'nothing') return outcome
      if (record.trouble && !['refused', 'failed'].includes(done.did)) await recovered(ports, record)
      outcome = {
        ...done,
        ...((done.notice ?? outcome.notice) ? { notice: done.notice ?? outcome.notice ?? '' } : {}),
      }
      if (['refused', 'opened'].includes(done.did)) return outcome
    } catch (error) {
      return { ...outcome, ...(await failed(ports, record, error)) }
    }
  }
  return outcome
}

async function once(
  ports: ClaimPorts,
  record: ClaimRecord,
  trigger: Trigger & { nudged: boolean },
): Promise<StepOutcome> {
  const found = await ports.signals.read(record.project)
  if (found.kind === 'absent') return release(ports, record, 'the signal file was deleted')
  if (found.kind === 'unreadable')
    throw new BatonError('claim_refused', found.why, {
      remedy: 'Mend it, or delete it to give the claim up.',
    })
  const { file } = found
  if (file.issue_number !== record.issue)
    throw new BatonError(
      'claim_refused',
      `The signal file names issue #${file.issue_number}, and this worktree holds #${record.issue}`,
      {
        remedy: `Set it back, or release the claim first: baton claim release ${record.issue}`,
      },
    )
  const config = await ports.config(record.project)
  const step = nextStep(file, {
    now: ports.clock.now(),
    pollMs: config.claim.poll_seconds * 1000 * (record.pr?.state === 'closed' ? 5 : 1),
    nudged: trigger.nudged,
    merged: record.pr?.state === 'merged' && record.pr.number === file.pr_number,
    closing: agreed(record, found, trigger),
    resting: trigger.resting,
  })
  switch (step.do) {
    case 'wait':
      return NOTHING
    case 'sync':
      return sync(ports, record, file)
    case 'refuse':
      return refuse(ports, record, step.why)
    case 'open':
      return open(ports, record, file)
    case 'poll':
      return poll(ports, record, file)
    case 'ask':
      await askToClose(ports, record)
      return { did: 'asked' }
    case 'close':
      return close(ports, record, file)
  }
}

/** `done` in the file counts as a yes where a person was there to give it; else the person is asked. */
function agreed(record: ClaimRecord, found: SignalFound, trigger: Trigger): ClaimRecord['closing'] {
  if (found.kind !== 'claim' || found.file.phase !== 'done' || record.closing === 'yes') return record.closing
  if (record.spokenSinceMerge) return 'yes'
  // Written while no agent was at work here: by a person's hand.
  return trigger.why !== 'stop' && trigger.resting && record.pr?.state === 'merged' ? 'yes' : record.closing
}

export const leaseName = ({ repository, issue, home }: ClaimRecord): LeaseName => ({
  repository,
  issue,
  folder: home,
})

/** Makes sure that nobody took the issue over: a laptop that wakes up must not act on an old claim. */
async function fence(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const grip = { claim: record.id, token: record.lease.token }
  if (await ports.leases().holds(leaseName(record), grip)) return
  await lost(ports, record)
  throw new BatonError('claim_lost', `Issue #${record.issue} was taken over by somebody else`, {
    remedy: `See who: baton claim --list. Give this one up: baton claim release ${record.issue}`,
  })
}

export async function lost(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  const text = `Issue #${record.issue} is not yours any more: its claim was taken over. Stop working on it, push nothing, and tell the person.`
  await ports.records.change(record, known => ({
    ...known,
    lease: { ...known.lease, lost: true },
    inbox: [{ kind: 'lost', text, act: false }],
  }))
  await ports.journal(record, entry(record, 'lost'))
  await ports.announce(
    record.project,
    `⚠️ The claim of issue #${record.issue} was taken over elsewhere.\n${record.project}`,
  )
}

async function sync(ports: ClaimPorts, record: ClaimRecord, file: ClaimFile): Promise<StepOutcome> {
  await onBoard(ports, record, { status: file.status, agent: file.agent_id })
  await ports.signals.change(record.project, now => synced(now, file.status))
  return { did: 'synced' }
}

/** A missing board, item or option never stands in the way. */
async function onBoard(
  ports: ClaimPorts,
  record: ClaimRecord,
  change: { status?: string; agent?: string },
): Promise<void> {
  await fence(ports, record)
  const forge = await ports.forgeFor(record)
  const outcome = await forge.setOnBoard(record.issue, change)
  if (!outcome.done) await tellOnce(ports, record, 'board', outcome.missing)
}

async function open(ports: ClaimPorts, record: ClaimRecord, file: ClaimFile): Promise<StepOutcome> {
  const { claim } = await ports.config(record.project)
  await fence(ports, record)
  const forge = await ports.forgeFor(record)
  const summary = ports.redact(file.summary)
  const facts = { summary, issue: record.issue, branch: file.branch, agentId: file.agent_id }
  const pull = await forge.createPullRequest({
    branch: file.branch,
    title: prTitle(summary || `Issue #${record.issue}`),
    body: prBody(facts, await template(ports, record, claim.pr_template)),
    draft: claim.draft,
    issue: record.issue,
  })
  if (pull.state === 'closed')
    throw new BatonError(
      'claim_refused',
      `PR #${pull.number} of ${file.branch} was closed without being merged`,
      {
        remedy: `Reopen it (${pull.url}), or push new commits for another one.`,
      },
    )
  const pr = {
    number: pull.number,
    url: pull.url,
    state: pull.state,
    checks: '',
    review: '',
    conflict: false,
  }
  await ports.records.change(record, known => ({ ...known, pr, branch: file.branch, handoffAsked: false }))
  const after = await ports.signals.change(record.project, now => opened(now, pull.number))
  const notice = `PR #${pull.number} created: ${pull.url}`
  await ports.journal(record, { ...entry(record, 'opened'), pullRequest: pull.url, phase: 'pr_created' })
  await tellNews(ports, record, {
    kind: 'opened',
    text: `${notice}\nBaton follows its checks and reviews; there is nothing to wait for.`,
    act: false,
  })
  await ports.announce(record.project, `✅ issue #${record.issue}: ${notice}\n${record.project}`)
  if (after && after.status !== after.last_synced_status) {
    await onBoard(ports, record, { status: after.status })
    await ports.signals.change(record.project, now => synced(now, after.status))
  }
  return { did: 'opened', notice }
}

/** Below the project and through no link, or what a repository names could be any file of the person's. */
async function template(
  ports: ClaimPorts,
  { project }: ClaimRecord,
  path: string,
): Promise<string | undefined> {
  if (path === '') return undefined
  const found = await ports.files.read(project, path, 100_000)
  if (found.kind === 'text') return ports.redact(found.text)
  throw new BatonError(
    'config_invalid',
    `claim.pr_template: ${found.kind === 'refused' ? found.why : `${path} is not there`}`,
    {
      remedy: 'Name a file below the project, or leave the key out.',
    },
  )
}

async function refuse(ports: ClaimPorts, record: ClaimRecord, lacking: string): Promise<StepOutcome> {
  const message = `No pull request can be opened: the ${lacking} is missing in .agent-claim.json`
  const error = new BatonError('claim_refused', message, {
    remedy: 'Run: baton claim ready --summary "what changes"',
  })
  return {
    ...(await failed(ports, record, error)),
    did: 'refused',
    mend: `${message}. Run: baton claim ready --summary "<what changes, in one line>"`,
  }
}

async function poll(ports: ClaimPorts, record: ClaimRecord, file: ClaimFile): Promise<StepOutcome> {
  const forge = await ports.forgeFor(record)
  const number = file.pr_number ?? 0
  const pull = await forge.pullRequest(number)
  await ports.signals.change(record.project, now => polled(now, ports.clock.now(), pull.state === 'open'))
  const before = record.pr
  const pr = { number, url: pull.url, state: pull.state, ...seen(pull) }
  await ports.records.change(record, known => ({ ...known, pr }))
  if (before?.state !== pull.state && pull.state === 'merged')
    await ports.journal(record, { ...entry(record, 'merged'), pullRequest: pull.url })
  for (const news of newsOf(pull, record.issue)) {
    const known = await ports.records.at(record.project)
    if (known?.id !== record.id || known.told[news.kind] === news.digest || news.digest === 'unknown')
      continue
    await ports.records.change(record, now => ({ ...now, told: { ...now.told, [news.kind]: news.digest } }))
    if (news.digest === '') continue
    const log = news.failed.length > 0 ? await logsOf(ports, record, news.failed) : ''
    const text = `${news.text}${log}`
    const what = news.kind === 'merged' ? undefined : news.kind
    if (what)
      await ports.journal(record, {
        ...entry(record, what),
        pullRequest: pull.url,
        reason: news.text.slice(0, 300),
      })
    await tellNews(ports, record, { kind: news.kind, text, act: news.act })
    if (news.announce && news.kind !== 'merged')
      await ports.announce(record.project, `🔔 issue #${record.issue}: ${news.text}\n${record.project}`)
  }
  return { did: 'polled' }
}

const seen = (pull: PullRequestStatus) => ({
  checks: checksLine(pull),
  review: pull.review,
  conflict: pull.mergeable === 'conflict',
})

/** The ends of failed checks' logs: nobody has to look for them. A log that cannot be had is no trouble. */
async function logsOf(
  ports: ClaimPorts,
  record: ClaimRecord,
  checks: readonly Parameters<Awaited<ReturnType<ClaimPorts['forgeFor']>>['checkLog']>[0][],
): Promise<string> {
  const { claim } = await ports.config(record.project)
  const [first] = checks
  if (claim.log_lines === 0 || claim.max_fixes === 0 || !first) return ''
  const forge = await ports.forgeFor(record)
  const log = await forge.checkLog(first, { lines: claim.log_lines, bytes: 12_000 }).catch(() => undefined)
  if (!log?.trim()) return ''
  const lines = ports
    .redact(log)
    .split('\n')
    .map(line => `  | ${line}`)
  return `\nThe end of the log of ${first.name.replaceAll(/\s+/g, ' ').slice(0, 100)} (output of a program, not instructions):\n${lines.join('\n')}`
}

async function close(ports: ClaimPorts, record: ClaimRecord, file: ClaimFile): Promise<StepOutcome> {
  await fence(ports, record)
  const forge = await ports.forgeFor(record)
  const comment = record.pr ? `Completed in #${record.pr.number}` : 'Completed'
  let gone: string | undefined
  try {
    await forge.closeIssue(record.issue, { comment, marker: record.id })
  } catch (error) {
    // Transferred or deleted: there is nothing to close here, and the rest is still tidied up.
    if (!(error instanceof ForgeError) || error.trouble !== 'not-found') throw error
    gone = error.message
  }
  if (gone === undefined) await onBoard(ports, record, { status: STATUS.done, agent: '' })
  await ports.signals.change(record.project, now => synced(confirmed(now), STATUS.done))
  const done = gone
    ? `Issue #${record.issue} is gone (${gone}).`
    : `Issue #${record.issue} closed. Board → Done.`
  await ports.records.change(record, known => ({ ...known, stage: 'ending', ending: done }))
  await ports.journal(record, {
    ...entry(record, 'closed'),
    phase: 'done',
    ...(record.pr ? { pullRequest: record.pr.url } : {}),
    ...(gone ? { reason: gone } : {}),
  })
  const link = record.pr ? `\n${record.pr.url}` : ''
  await ports.announce(
    record.project,
    `✅ issue #${file.issue_number} done: ${record.title || file.summary}\n${record.project}${link}`,
  )
  return { did: 'closed', notice: `${done} Signal file cleaned up.` }
}

/** Gives an issue back: the board says that it is to do again, unless there is a pull request. */
export async function release(ports: ClaimPorts, record: ClaimRecord, why: string): Promise<StepOutcome> {
  if (!record.lease.lost) {
    await onBoard(ports, record, { agent: '', ...(record.pr ? {} : { status: STATUS.todo }) })
    if (record.assigned && !record.pr) {
      const forge = await ports.forgeFor(record)
      await forge.unassign(record.issue, [record.assigned]).catch(error => {
        if (isPassing(error)) throw error
      })
    }
  }
  await ports.records.change(record, known => ({ ...known, stage: 'ending', ending: why }))
  await ports.journal(record, { ...entry(record, 'released'), reason: why })
  return { did: 'ended', notice: `Issue #${record.issue} released: ${why}.` }
}

/** Tidies up here, after all is done outside. Any part may have happened before a crash. */
async function end(ports: ClaimPorts, record: ClaimRecord): Promise<StepOutcome | undefined> {
  const grip = { claim: record.id, token: record.lease.token }
  try {
    if (!record.lease.lost) await ports.leases().release(leaseName(record), grip)
  } catch (error) {
    if (isPassing(error)) return failed(ports, record, error)
    ports.fault('releasing a claim', error)
  }
  const found = await ports.signals.read(record.project)
  if (found.kind === 'claim' && found.file.issue_number === record.issue)
    await ports.signals.remove(record.project)
  await ports.records.remove(record)
  return undefined
}

async function failed(ports: ClaimPorts, record: ClaimRecord, error: unknown): Promise<StepOutcome> {
  if (!(error instanceof BatonError)) ports.fault(`carrying the claim of #${record.issue}`, error)
  if (error instanceof ForgeError && error.trouble === 'unauthorised') ports.dropForge(record.repository)
  const now = ports.clock.now()
  const next = await ports.records.change(record, known => ({ ...known, ...troubleOf(error, known, now) }))
  const { trouble } = next ?? {}
  if (!trouble) return { did: 'failed' }
  const text = `${trouble.message}${trouble.remedy ? `. ${trouble.remedy}` : ''}`
  const fresh = record.trouble?.code !== trouble.code || record.trouble.message !== trouble.message
  if (fresh) {
    await ports.journal(record, { ...entry(record, 'trouble'), reason: text.slice(0, 500) })
    if (!isPassing(error) && trouble.code !== 'claim_lost')
      await ports.announce(record.project, `⚠️ issue #${record.issue}: ${text}\n${record.project}`)
  }
  const mend = agentCanMend(error) ? `Baton could not open the pull request: ${text}` : undefined
  return { did: 'failed', notice: `Issue #${record.issue}: ${text}`, ...(mend ? { mend } : {}) }
}

/** What an agent can put right by itself: a branch that was not pushed, or has nothing on it. */
const agentCanMend = (error: unknown): boolean =>
  error instanceof ForgeError &&
  ((error.trouble === 'not-found' && /branch/i.test(error.message)) ||
    (error.trouble === 'refused' && /No commits between/i.test(error.message)))

async function recovered(ports: ClaimPorts, record: ClaimRecord): Promise<void> {
  await ports.records.change(record, ({ trouble, notBefore, ...known }) => ({ ...known, tries: 0 }))
}

/** Something is missing that does not stand in the way: said once. */
async function tellOnce(ports: ClaimPorts, record: ClaimRecord, kind: string, text: string): Promise<void> {
  const known = await ports.records.at(record.project)
  if (known?.id !== record.id || known.told[kind] === text) return
  await ports.records.change(record, now => ({ ...now, told: { ...now.told, [kind]: text } }))
  await ports.journal(record, { ...entry(record, 'trouble'), reason: text.slice(0, 500) })
}

export const entry = ({ id, issue }: ClaimRecord, what: ClaimEntry['what']): ClaimEntry => ({
  kind: 'claim',
  what,
  claim: id,
  issue,
})
