import type { PullRequestState, WorkReport, WorkStatus, WorkSummary } from '@batonpass/contract/work'
import { rowOf } from '../packs/paw/stage-table.ts'
import { COMMENT_ROUTES, waitsForAnswer } from './resolve-command.ts'

/** Renders the status report as text, the same for every caller. */
export function renderReport({
  status,
  items,
}: Pick<WorkReport, 'items'> & { status: WorkStatus | undefined }): string {
  if (status) {
    const others = items.filter(({ workId }) => workId !== status.workId)
    return lines([
      ...statusLines(status),
      ...(others.length > 0 ? ['', 'Other work items:', ...others.map(row)] : []),
    ])
  }
  if (items.length === 0) return 'No work items here. Create one: baton work new "TITLE"\n'
  return lines(['Work items, most recently changed first:', ...items.map(row)])
}

/** A work item as one line of a list. */
export const row = ({ workId, title, stage, mode, modifiedAt }: WorkSummary): string =>
  `- ${clean(title)} (${workId}): ${stage}, ${mode}, ${modifiedAt.slice(0, 16).replace('T', ' ')} UTC`

function statusLines(status: WorkStatus): string[] {
  const { git } = status
  return [
    `${clean(status.title)} (${status.workId})`,
    `Stage: ${status.stage}. Handoff Mode: ${status.mode}. Review Strategy: ${status.strategy}.`,
    ...status.warnings.map(warning => `Warning: ${clean(warning)}`),
    ...(status.blocked === undefined ? [] : [`Blocked: ${clean(status.blocked)}`]),
    '',
    `Artifacts: ${status.artifacts.map(({ name, present }) => `${present ? '✓' : '·'} ${name}`).join('  ')}`,
    ...(status.questions > 0 ? [`Research questions open: ${status.questions}`] : []),
    ...(status.phases.length > 0
      ? [
          `Phases: ${status.phases.filter(({ state }) => state === 'done').length} of ${status.phases.length} done`,
          ...status.phases.map(
            ({ number, title, state, reviewed }) =>
              `  ${state === 'done' ? '✓' : state === 'begun' ? '◐' : '·'} Phase ${number}: ${clean(title)}${state === 'done' ? (reviewed ? ' (reviewed)' : ' (not reviewed)') : ''}`,
          ),
        ]
      : []),
    ...(git ? [gitLine(git), ...(git.advice ? [`  ${clean(git.advice)}`] : [])] : ['Git: not a repository']),
    ...pulls(status),
    ...(status.result
      ? [`Result: ${status.result.end} (${clean(status.result.reason)})${proofOf(status.result)}`]
      : []),
    ...(status.claim ? [`Claim: ${clean(status.claim)}`] : []),
    ...status.sessions
      .filter(({ live }) => live)
      .map(
        ({ nativeSession, stage, context }) =>
          `Session: ${nativeSession}${stage ? `, ${rowOf(stage).agent}` : ''}${context ? `, context ${context}` : ''}`,
      ),
    ...(status.grants ? [`May by itself: ${cut(status.grants.join('; '), 1000)}`] : []),
    ...(status.asks.length > 0
      ? ['Waiting for you:', ...status.asks.map(({ id, title }) => `  ${clean(title)} (baton asks ${id})`)]
      : []),
    '',
    ...next(status),
  ]
}

const proofOf = ({ proof }: NonNullable<WorkStatus['result']>): string =>
  proof === undefined ? '' : `, see \`baton proof ${proof}\``

function gitLine({ branch, detached, target, ahead, behind, dirty }: NonNullable<WorkStatus['git']>): string {
  const where = detached ? 'detached HEAD' : `on ${clean(branch ?? '')}`
  const apart =
    ahead === undefined && behind === undefined
      ? 'no upstream'
      : ahead === 0 && behind === 0
        ? 'up to date with its upstream'
        : `${ahead ?? 0} ahead, ${behind ?? 0} behind its upstream`
  const aim = target !== undefined && target !== branch ? ` (target ${clean(target)})` : ''
  return `Git: ${where}${aim}, ${detached ? '' : `${apart}, `}${dirty === 0 ? 'clean' : `${dirty} uncommitted`}`
}

function pulls({ pullRequests, pullRequestsAdvice }: WorkStatus): string[] {
  const shown = pullRequests.map(pull => `  ${pullLine(pull)}`)
  return [
    ...(shown.length > 0 ? ['Pull requests:', ...shown] : []),
    ...(pullRequestsAdvice ? [`  ${pullRequestsAdvice}`] : []),
  ]
}

function pullLine(pull: PullRequestState): string {
  const name = `${pull.kind}${pull.phase ? ` (Phase ${pull.phase})` : ''}`
  if (pull.number === undefined) return `${name}: Not found`
  const { comments } = pull
  const said = [
    pull.state,
    pull.review && pull.review !== 'none' ? `review ${pull.review}` : undefined,
    pull.checks && pull.checks !== 'none' ? `checks ${pull.checks}` : undefined,
    comments && comments.unresolved > 0
      ? `${comments.unresolved} unresolved${comments.outdated > 0 ? ` (${comments.outdated} outdated)` : ''} at ${comments.where.slice(-3).map(clean).join(', ')}`
      : undefined,
    comments && comments.changesRequested.length > 0
      ? `changes requested by ${comments.changesRequested.map(clean).join(', ')}`
      : undefined,
    waitsForAnswer(pull)
      ? `\`address comments\` hands over to ${COMMENT_ROUTES[pull.kind].map(stage => rowOf(stage).agent).join(', then ')}`
      : undefined,
  ].filter(part => part !== undefined)
  return `${name} #${pull.number} ${clean(pull.title ?? '')}: ${said.join(', ')}`
}

function next({ next: steps, blocked }: WorkStatus): string[] {
  if (blocked !== undefined) return ['To continue, remove the line `Blocked:` from WorkflowContext.md.']
  const first = steps.findIndex(({ command }) => command !== 'address comments')
  return [
    'Next steps:',
    ...steps.map(
      ({ command, agent, what }, i) =>
        `- \`${command}\`: ${what}${agent ? ` [${agent}]` : ''}${i === first && command !== 'status' ? ' (also `continue`)' : ''}`,
    ),
  ]
}

const lines = (list: readonly string[]): string => `${list.join('\n')}\n`

/** Strangers may have written titles and branch names: makes them one line without control characters. */
const clean = (text: string): string => cut(text, 200)

const cut = (text: string, length: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, length)
