import { join } from 'node:path'
import { WORK_ID, WorkList, WorkMade } from '@batonpass/contract/work'
import * as vscode from 'vscode'
import { workIdOf } from '../../../../packages/baton/src/work/stages/work-id.ts'
import { openChat } from '../chat.ts'
import type { Daemon } from '../daemon/client.ts'
import { folders } from '../folders.ts'

const WORKFLOWS = [
  {
    label: 'Full',
    detail: 'specification, research, plan, phases, documentation, pull request',
    value: 'full',
  },
  { label: 'Minimal', detail: 'without specification and documentation', value: 'minimal' },
  { label: 'Review', detail: "another person's pull request", value: 'review' },
] as const

const STRATEGIES = [
  { label: 'Local', detail: 'commits on the target branch, one final pull request', value: 'local' },
  { label: 'PRs', detail: 'a pull request for plan, each phase and documentation', value: 'prs' },
] as const

export const MODES = [
  { label: 'Manual', detail: 'Full control: you command each stage transition', value: 'manual' },
  {
    label: 'Semi-Auto',
    detail: 'Thoughtful automation: automatic at research and review, pause at decisions',
    value: 'semi-auto',
  },
  {
    label: 'Auto',
    detail: 'Full automation: agents chain through all stages (local strategy required)',
    value: 'auto',
  },
] as const

/** `PAW: New PAW Workflow`: asks for the contents of WorkflowContext.md and creates the work item. Escape cancels. */
export async function newWorkflow(daemon: Daemon): Promise<void> {
  const project = await chooseFolder()
  const title =
    project &&
    (await askForText('What do you want to build?', { placeHolder: 'Work title, e.g. Auth System' }))
  const id = title && (await askForText('Work ID', { value: suggestWorkId(title), check: checkId }))
  const workflow = id && (await choose('Which stages?', WORKFLOWS))
  const strategy = workflow && (await choose('How are changes reviewed?', STRATEGIES))
  const mode = strategy && (await chooseMode(strategy))
  const branch = mode && (await askForText('Target branch', { value: `feature/${id}` }))
  const issue = branch && (await askForText('Issue URL (optional)', { mayBeEmpty: true }))
  if (!project || !title || !id || !workflow || !strategy || !mode || !branch || issue === undefined) return

  const body = { project, title, work_id: id, workflow, strategy, mode, branch, ...(issue && { issue }) }
  const made = await daemon.post('/api/work', WorkMade, body)
  // The daemon stores it at the root of the worktree, which may be above the open folder.
  const { project: root } = await daemon.get(`/api/work?project=${encodeURIComponent(project)}`, WorkList)
  const file = vscode.Uri.file(join(root, made.path))
  await vscode.window.showTextDocument(file, { preview: false })
  const first =
    workflow === 'full'
      ? 'PAW-01A Specification'
      : workflow === 'minimal'
        ? 'PAW-02A Code Researcher'
        : 'PAW-R1A Understanding'
  const start = `Start with ${first}`
  const chosen = await vscode.window.showInformationMessage(`${made.workId} is ready.`, start)
  if (chosen === start)
    await openChat(
      first,
      `Work ID: ${made.workId}\n\nYou are ${first}. Call paw_get_context with this Work ID first.`,
    )
}

/** Rejects auto mode with the `prs` strategy, which cannot work, and asks again. */
async function chooseMode(strategy: 'local' | 'prs'): Promise<(typeof MODES)[number]['value'] | undefined> {
  for (;;) {
    const mode = await choose('Handoff Mode', MODES)
    if (mode !== 'auto' || strategy === 'local') return mode
    void vscode.window.showErrorMessage(
      'Auto mode requires local review strategy. Use the local strategy, or semi-auto mode.',
    )
  }
}

async function chooseFolder(): Promise<string | undefined> {
  const all = folders()
  if (all.length <= 1) {
    if (all[0] === undefined) void vscode.window.showErrorMessage('Open the folder of your project first.')
    return all[0]
  }
  return vscode.window.showQuickPick(all, { title: 'Which folder?' })
}

async function choose<T extends string>(
  title: string,
  rows: readonly { label: string; detail: string; value: T }[],
): Promise<T | undefined> {
  const chosen = await vscode.window.showQuickPick([...rows], { title, ignoreFocusOut: true })
  return chosen?.value
}

interface TextOptions {
  value?: string
  placeHolder?: string
  mayBeEmpty?: boolean
  check?: (text: string) => string | undefined
}

async function askForText(
  title: string,
  { value = '', placeHolder = '', mayBeEmpty = false, check }: TextOptions,
): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title,
    value,
    placeHolder,
    ignoreFocusOut: true,
    validateInput: now =>
      now.trim() === '' && !mayBeEmpty ? `${title}: enter a value.` : check?.(now.trim()),
  })
  return entered?.trim()
}

const checkId = (id: string): string | undefined =>
  WORK_ID.test(id) ? undefined : 'Use only lowercase letters, numbers and hyphens.'

/** A Work ID made from the title; empty if the title has no usable letters. */
function suggestWorkId(title: string): string {
  try {
    return workIdOf(title)
  } catch {
    return ''
  }
}
