import { Ask, type AskOption, MAX_REASON_LENGTH } from '@batonpass/contract/ask'
import { ANSWER_LABELS, needsReason, OPTION_LABELS, REFUSALS } from '@batonpass/contract/labels'
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
  /** Called when the user has just allowed this editor to answer. */
  onAllowed(): void
}

const LOOK = 'Show All…'

/** Shows a question as a notification. The user can allow only what the notification shows in full. */
export async function askPerson(ask: Ask, context: AskContext): Promise<void> {
  const { message, whole } = askText(ask)
  // A notification has no room for a reason: the user gives one on the question's page.
  const short = ask.options.filter(option => !needsReason(option) && option !== 'on-screen')
  const options = whole ? short : short.filter(refuses)
  const chosen = await vscode.window.showWarningMessage(message, ...options.map(labelOf), LOOK)
  if (chosen === undefined) return
  const option = options.find(each => labelOf(each) === chosen)
  if (option) await answer(ask, option, context)
  else await lookAndAnswer(ask, context)
}

/** Opens the whole question, then offers every answer. */
export async function lookAndAnswer(ask: Ask, context: AskContext): Promise<void> {
  await context.show(ask)
  const chosen = await vscode.window.showQuickPick(
    ask.options.map(option => ({ label: labelOf(option), option })),
    { title: plain(ask.title).slice(0, 200), placeHolder: 'Your answer', ignoreFocusOut: true },
  )
  if (chosen) await answer(ask, chosen.option, context)
}

/** Sends the user's answer, bound to the question that the user saw. */
async function answer(ask: Ask, option: AskOption, { daemon, onAllowed }: AskContext): Promise<void> {
  let reason: string | undefined
  let replies: Reply[] | undefined
  if (option === 'reply') {
    replies = await askQuestions(ask)
    if (replies === undefined) return
  }
  if (needsReason(option)) {
    reason = await vscode.window.showInputBox({
      title: option === 'send-back' ? 'What should change?' : 'Why not?',
      prompt: 'Baton sends this to the agent.',
      ignoreFocusOut: true,
      validateInput: text =>
        text.trim() === ''
          ? 'Enter a reason, or press Escape.'
          : text.length > MAX_REASON_LENGTH
            ? `Use at most ${MAX_REASON_LENGTH} characters.`
            : undefined,
    })
    if (reason === undefined) return
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
    await daemon.post(`/api/asks/${ask.id}/answer`, Ask, body, { asPerson: true })
    vscode.window.setStatusBarMessage(`Baton: ${ANSWER_LABELS[option]}`, 5000)
  } catch (cause) {
    void vscode.window.showErrorMessage(plain(sentence(cause)))
  }
}

const labelOf = (option: AskOption): string =>
  needsReason(option) || option === 'reply' ? `${OPTION_LABELS[option]}…` : OPTION_LABELS[option]
/** A refusal is safe even if the user sees only part of the question. */
const refuses = (option: AskOption): boolean => REFUSALS.includes(option)
