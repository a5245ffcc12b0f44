import type { ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { queueNews } from './deliver-news.ts'
import { entry, fence, onBoard } from './fence.ts'
import { opened, synced } from './next-step.ts'
import type { ClaimPorts } from './ports.ts'
import { prBody, prTitle } from './pr-text.ts'
import type { ClaimRecord } from './record.ts'
import { recordFailure } from './record-failure.ts'
import type { StepOutcome } from './step-outcome.ts'

/** Opens the pull request, or takes up the one that a crash left behind. */
export async function openPullRequest(
  ports: ClaimPorts,
  record: ClaimRecord,
  file: ClaimFile,
): Promise<StepOutcome> {
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
  await ports.records.change(record, known => ({ ...known, pr, handoffAsked: false }))
  const after = await ports.signals.change(record.project, now => opened(now, pull.number))
  const notice = `PR #${pull.number} created: ${pull.url}`
  await ports.journal(record, { ...entry(record, 'opened'), pullRequest: pull.url, phase: 'pr_created' })
  await queueNews(ports, record, {
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

/** A branch was handed off without what a pull request needs. */
export async function refuse(ports: ClaimPorts, record: ClaimRecord, lacking: string): Promise<StepOutcome> {
  const message = `No pull request can be opened: the ${lacking} is missing in .agent-claim.json`
  const error = new BatonError('claim_refused', message, {
    remedy: 'Run: baton claim ready --summary "what changes"',
  })
  return {
    ...(await recordFailure(ports, record, error)),
    did: 'refused',
    mend: `${message}. Run: baton claim ready --summary "<what changes, in one line>"`,
  }
}
