import type { EventOf } from '@batonpass/contract/event'
import type { Grant } from '@batonpass/contract/grant'
import { analyse } from '@batonpass/shell-verdict/shell/analysis'
import { literalWord, type Word } from '@batonpass/shell-verdict/shell/word'
import { grantAfterBoard } from '../../permission/grants/cover-board.ts'
import { recordGrant } from '../../permission/grants/record-grant.ts'
import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'
import type { StateFound } from './state-files.ts'
import type { Workflow } from './workflow.ts'

/** What a run may do by itself, recorded when it begins. */
export async function grantOfRun(
  { grantFacts, fault }: Pick<WorkflowPorts, 'grantFacts' | 'fault'>,
  { name, grants }: Workflow,
  { issue, prompt, project }: { issue?: number | undefined; prompt: string; project: string },
): Promise<Grant | undefined> {
  const isDry = /(^|\s)--dry-run(\s|$)/.test(prompt.slice(0, 2000))
  const files = grants.files.flatMap(file =>
    file.includes('{ISSUE}') && issue === undefined ? [] : [file.replaceAll('{ISSUE}', String(issue))],
  )
  const wanted = {
    job: issue === undefined ? name : `${name} #${issue}`,
    // A dry run changes nothing.
    may: isDry ? grants.may.filter(kind => kind === 'read') : grants.may,
    project,
    issue,
    files,
    labels: grants.labels,
    board: grants.may.includes('board') ? boardIn(prompt) : undefined,
  }
  if (!grantFacts || wanted.may.length + files.length === 0) return undefined
  return await recordGrant(wanted, grantFacts).catch(cause => {
    fault('recording what a run may do', cause)
    return undefined
  })
}

/** The board `owner/number` that the user named after the command. */
function boardIn(prompt: string): { owner: string; number: number } | undefined {
  const [, owner, number] =
    /\s([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([1-9]\d{0,8})\s*$/.exec(prompt.slice(0, 500)) ?? []
  return owner === undefined ? undefined : { owner, number: Number(number) }
}

/** The grant of a run that is still active. The state file can end it or make it smaller, and never adds to it. */
export function grantOpen(run: Run, found: StateFound): Grant | undefined {
  const { grant } = run
  if (!grant || run.end || found.kind !== 'state') return undefined
  const { state, workflow, issue_no, pr_number } = found.state
  if (state !== 'initial' || workflow !== run.workflow || issue_no !== run.issue) return undefined
  const { pullRequest, ...rest } = grant
  const isSamePull = pr_number === undefined || pr_number === pullRequest
  return {
    ...rest,
    ...(pullRequest !== undefined && isSamePull ? { pullRequest } : {}),
    files: run.root === run.project ? [...grant.files, stateFile(run)] : grant.files,
  }
}

/** The same, as far as the workflow that is declared now still grants it. */
export function grantNow(run: Run, found: StateFound, { grants }: Workflow): Grant | undefined {
  const grant = grantOpen(run, found)
  return grant && { ...grant, may: grant.may.filter(kind => grants.may.includes(kind)) }
}

const stateFile = ({ nativeSession }: Run): string => `.tmp/hooked-sessions/${nativeSession}.json`

/** A gh command that the broker was allowed to run. */
export interface BrokeredCommand {
  call: string
  words: readonly string[]
  /** What gh itself printed; undefined if it failed or did not run. */
  output: string | undefined
}

/** The grant once a call has finished: the issue or pull request that it created joins the grant. */
export function grantAfter(grant: Grant, event: EventOf<'ToolFinished'>, output: string): Grant {
  // Inside, the broker ran gh and knows its output; what a command there prints is only what it says.
  if (event.sandbox || event.action.kind !== 'shell') return grant
  const [program, group, verb, ...rest] = soleCommand(event.action.command) ?? []
  if (program?.value !== 'gh') return grant
  if (group?.value === 'api' && verb?.value === 'graphql')
    return event.failed ? grant : grantAfterBoard(grant, rest, output)
  const creates = createdBy(group?.value, verb?.value)
  return creates ? grantWith(grant, creates, event.toolUseId ?? '', event.failed ? undefined : output) : grant
}

/** The same for a command that the broker ran. */
export function grantAfterBroker(grant: Grant, { call, words, output }: BrokeredCommand): Grant {
  const [program, group, verb, ...rest] = words
  if (program !== 'gh') return grant
  if (group === 'api' && verb === 'graphql')
    return output === undefined ? grant : grantAfterBoard(grant, rest.map(literalWord), output)
  const creates = createdBy(group, verb)
  return creates ? grantWith(grant, creates, call, output) : grant
}

function grantWith(grant: Grant, creates: 'issue' | 'pr', call: string, output: string | undefined): Grant {
  const { created, ...rest } = grant
  if (creates === 'issue') {
    if (created?.call !== call) return grant
    const issue = output === undefined ? undefined : numberIn(output, 'issues', grant)
    // One that failed may be tried again.
    return output === undefined ? rest : { ...rest, created: issue === undefined ? {} : { issue } }
  }
  if (output === undefined || grant.pullRequest !== undefined) return grant
  const pullRequest = numberIn(output, 'pull', grant)
  return pullRequest === undefined ? grant : { ...grant, pullRequest }
}

const createdBy = (group: string | undefined, verb: string | undefined): 'issue' | 'pr' | undefined =>
  verb === 'create' && (group === 'issue' || group === 'pr') ? group : undefined

/** The words of a text that is nothing but one gh command: only then are its output and its exit code those of gh. */
function soleCommand(command: string): readonly Word[] | undefined {
  if (!/\bgh\b/.test(command)) return undefined
  const [only, ...others] = analyse(command, { cwd: '/', home: '/' }).commands
  return others.length > 0 || only?.via.length !== 0 ? undefined : only.words
}

function numberIn(output: string, path: 'issues' | 'pull', { repository }: Grant): number | undefined {
  const links = output.matchAll(/https?:\/\/([^\s"'<>]+)\/(issues|pull)\/(\d{1,9})(?![\w/])/g)
  const found = [...links].filter(
    ([, where = '', kind]) => kind === path && where.toLowerCase() === repository,
  )
  return Number(found.at(-1)?.[3]) || undefined
}
