import type { ClaimFile } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { Proof } from '@batonpass/contract/proof'
import { evidenceBlock, withEvidence } from '../proof/evidence-block.ts'
import { queueNews } from './deliver-news.ts'
import { entry, onBoard } from './fence.ts'
import { opened, synced } from './next-step.ts'
import type { ClaimPorts, StepOutcome } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { recordFailure } from './record-failure.ts'

/** Opens the pull request, or adopts the one that was opened before a crash. */
export async function openPullRequest(
  ports: ClaimPorts,
  record: ClaimRecord,
  file: ClaimFile,
  { proof, isDraft }: { proof?: Proof | undefined; isDraft: boolean },
): Promise<StepOutcome> {
  const { claim } = await ports.config(record.project)
  const summary = ports.redact(file.summary)
  const facts = { summary, issue: record.issue, branch: file.branch, agentId: file.agent_id }
  const body = prBody(facts, await template(ports, record, claim.pr_template))
  const pull = await ports.outside.openPullRequest(record, {
    branch: file.branch,
    title: prTitle(summary || `Issue #${record.issue}`),
    body: proof ? withEvidence(body, evidenceBlock(proof, await repositoryOf(ports, record))) : body,
    draft: claim.draft || isDraft,
    issue: record.issue,
  })
  // It existed before this proof.
  if (proof && !pull.created && pull.state === 'open')
    await ports.outside.showProof(record.project, pull.number, proof)
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
  const unproven =
    proof === undefined || proof.verdict === 'proven'
      ? ''
      : proof.verdict === undefined
        ? `, not proven yet (Baton waits for ${proof.running ?? 'the forge'})`
        : `, unproven (${proof.why ?? 'no reason given'})`
  const notice = `PR #${pull.number} created: ${pull.url}${unproven}`
  await ports.journal(record, {
    ...entry(record, 'opened'),
    pullRequest: pull.url,
    phase: 'pr_created',
    ...(proof?.verdict
      ? { end: proof.verdict, ...(proof.why ? { reason: proof.why.slice(0, 500) } : {}) }
      : {}),
  })
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

/** Without the forge, the block has no links. */
const repositoryOf = async (ports: ClaimPorts, { home }: ClaimRecord) =>
  (await ports.forgeFor({ home }).catch(() => undefined))?.repository

/** Reads the template, only below the project and not through links: a repository must not publish other files of the user. */
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
    `claim.pr_template: ${found.kind === 'refused' ? found.why : `${path} does not exist`}`,
    {
      remedy: 'Name a file inside the project, or remove the setting.',
    },
  )
}

/** Refuses a branch that was handed off without what a pull request needs. */
export async function refuse(ports: ClaimPorts, record: ClaimRecord, lacking: string): Promise<StepOutcome> {
  const message = `No pull request can be opened: the ${lacking} is missing in .agent-claim.json`
  const error = new BatonError('claim_refused', message, {
    remedy: 'Run: baton claim ready --summary "what changes"',
  })
  return {
    ...(await recordFailure(ports, record, error)),
    did: 'refused',
    fix: `${message}. Run: baton claim ready --summary "<what changes, in one line>"`,
  }
}

/** The values that fill in a pull request's title and body. */
interface PrFacts {
  summary: string
  issue: number
  branch: string
  agentId: string
}

const TITLE_MOST = 250
const BODY_MOST = 60_000

/** The title: the summary on one line, without closing keywords. */
export function prTitle(summary: string): string {
  const line = summary.replaceAll(/\s+/g, ' ').trim()
  const open = withoutClosing(line)
  return open.length > TITLE_MOST ? `${open.slice(0, TITLE_MOST - 1)}…` : open
}

/** The body, from the user's template or the built-in one. It always refers to its issue and never closes one. */
export function prBody(facts: PrFacts, template: string | undefined): string {
  const values: Record<string, string> = {
    SUMMARY: facts.summary.trim(),
    ISSUE: String(facts.issue),
    BRANCH: facts.branch,
    AGENT: facts.agentId,
  }
  // A single pass, so that placeholders inside filled-in values stay as they are.
  const filled = (template ?? OURS).replaceAll(
    /\{(SUMMARY|ISSUE|BRANCH|AGENT)\}/g,
    (_, name: string) => values[name] ?? '',
  )
  const text = withoutClosing(filled).slice(0, BODY_MOST).trim()
  const refers = new RegExp(`#${facts.issue}(?!\\d)`).test(text)
  return `${text}${refers ? '' : `\n\nRefs #${facts.issue}`}\n`
}

/** Replaces the forge's closing keywords: an issue is closed only after a person confirms. */
export function withoutClosing(text: string): string {
  return text.replaceAll(CLOSING, (_, spaces: string, target: string) => `Refs${spaces}${target}`)
}

const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::)?(\s+)((?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d+|GH-\d+|https?:\/\/[^\s/]+\/[\w.-]{1,100}\/[\w.-]{1,100}\/issues\/\d+)/gi

const OURS = `## Summary

{SUMMARY}

Refs #{ISSUE}

## Integrity

For the reviewer: Baton leaves these boxes unticked.

- [ ] The change does what the issue asks, and nothing else
- [ ] No test, check or limit was weakened to make it pass
- [ ] It adds no secrets, personal data or generated files
- [ ] Errors are handled where they occur; none is hidden
- [ ] What users see or call is documented

## Tests

- [ ] New behaviour is covered by tests that failed before
- [ ] The whole test suite passes
- [ ] What tests do not cover was tried by hand
`
