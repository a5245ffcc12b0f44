import { Ask, type AskOption, MAX_REASON_LENGTH } from '@batonpass/contract/ask'
import { ANSWER_LABELS, needsReason, OPTION_LABELS, outcomeLabel, REFUSALS } from '@batonpass/contract/labels'
import type { Reply } from '@batonpass/contract/question'
import * as vscode from 'vscode'
import { letEditorAnswer } from '../command/let-editor-answer.ts'
import type { Daemon } from '../daemon/client.ts'
import { sentence } from '../daemon/live.ts'
import { askQuestions } from './ask-questions.ts'
import { askText, plain } from './ask-text.ts'

export interface AskContext {
  daemon: Daemon
  /** Opens the whole text of a question in a page next to the editor. */
  show(ask: Ask): Promise<void>
  /** Cancelled when the question is no longer open. */
  whileOpen(ask: Ask): vscode.CancellationToken
  /** Called when the user has just allowed this editor to answer. */
  onAllowed(): void
}

const LOOK = 'Show All…'
const READ_PLAN = 'Read the Plan…'

/** Shows a question as a notification. The user can allow only what the notification shows in full. */
export async function askPerson(ask: Ask, context: AskContext): Promise<void> {
  const { message, whole } = askText(ask)
  const asksBack = ask.options.includes('reply')
  // A notification has no room for a reason or a rule: the user sees both on the question's page.
  const short = ask.options.filter(option => !needsReason(option) && !addsRule(option))
  // The user sees every question in full while answering it.
  const options = whole || asksBack ? short : short.filter(refuses)
  const isPlan = ask.kind === 'plan'
  const buttons = isPlan ? [READ_PLAN] : [...options.map(labelOf), ...(asksBack ? [] : [LOOK])]
  const chosen = await vscode.window.showWarningMessage(message, ...buttons)
  if (chosen === undefined) return
  const option = isPlan ? undefined : options.find(each => labelOf(each) === chosen)
  if (option === 'reply') await context.show(ask)
  if (option) await answer(ask, option, context)
  else await lookAndAnswer(ask, context)
}

/** Opens the whole question, then offers every answer. */
export async function lookAndAnswer(ask: Ask, context: AskContext): Promise<void> {
  await context.show(ask)
  const open = context.whileOpen(ask)
  const chosen = await vscode.window.showQuickPick(
    ask.options.map(option => ({ label: labelOf(option), option })),
    { title: plain(ask.title).slice(0, 200), placeHolder: 'Your answer', ignoreFocusOut: true },
    open,
  )
  if (chosen) await answer(ask, chosen.option, context)
  else if (open.isCancellationRequested) sayClosed()
}

/** The pickers close by themselves when the question is answered elsewhere. */
const sayClosed = (): void => void vscode.window.showInformationMessage('This question is no longer open.')

/** Sends the user's answer, bound to the question that the user saw. */
async function answer(
  ask: Ask,
  option: AskOption,
  { daemon, onAllowed, whileOpen }: AskContext,
): Promise<void> {
  const open = whileOpen(ask)
  let reason: string | undefined
  let replies: Reply[] | undefined
  if (option === 'reply') {
    replies = await askQuestions(ask, open)
    if (replies === undefined) return open.isCancellationRequested ? sayClosed() : undefined
  }
  if (needsReason(option)) {
    const input = {
      title: option === 'send-back' ? 'What should change?' : 'Why not?',
      prompt: 'Baton sends this to the agent.',
      ignoreFocusOut: true,
      validateInput: (text: string) =>
        text.trim() === ''
          ? 'Enter a reason, or press Escape.'
          : text.length > MAX_REASON_LENGTH
            ? `Use at most ${MAX_REASON_LENGTH} characters.`
            : undefined,
    }
    reason = await vscode.window.showInputBox(input, open)
    if (reason === undefined) return open.isCancellationRequested ? sayClosed() : undefined
  }
  try {
    if (!(await daemon.isLetIn())) {
      const allow = 'Allow It to Answer…'
      const message = 'Baton does not accept answers from this editor yet.'
      if ((await vscode.window.showWarningMessage(message, allow)) !== allow) return
      if (!(await letEditorAnswer(daemon))) return
      onAllowed()
    }
    const body = {
      option,
      fingerprint: ask.fingerprint,
      ...(reason === undefined ? {} : { reason }),
      ...(replies === undefined ? {} : { replies }),
    }
    const answered = await daemon.post(`/api/asks/${ask.id}/answer`, Ask, body, { asPerson: true })
    if (addsRule(option)) void vscode.window.showInformationMessage(plain(outcomeLabel(answered)))
    else vscode.window.setStatusBarMessage(`Baton: ${ANSWER_LABELS[option]}`, 5000)
  } catch (cause) {
    void vscode.window.showErrorMessage(plain(sentence(cause)))
  }
}

const labelOf = (option: AskOption): string =>
  needsReason(option) || option === 'reply' ? `${OPTION_LABELS[option]}…` : OPTION_LABELS[option]
const addsRule = (option: AskOption): boolean => option === 'allow-project' || option === 'allow-everywhere'
/** A refusal is safe even if the user sees only part of the question. */
const refuses = (option: AskOption): boolean => REFUSALS.includes(option)
