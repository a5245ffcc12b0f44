import { Ask, type AskOption, MAX_REASON_LENGTH } from '@batonpass/contract/ask'
import * as vscode from 'vscode'
import { letEditorAnswer } from '../command/let-editor-answer.ts'
import type { Daemon } from '../daemon/client.ts'
import { sentence } from '../daemon/live.ts'
import { askText, LABELS, plain } from './ask-text.ts'

export interface AskContext {
  daemon: Daemon
  /** Opens the whole text of a question beside the editor. */
  show(ask: Ask): Promise<void>
  /** A person has just let this editor answer. */
  letIn(): void
}

const LOOK = 'Look…'

/** Puts a question to the person. Every answer is a click on a text that shows all that is asked. */
export async function askPerson(ask: Ask, asking: AskContext): Promise<void> {
  const { message, whole } = askText(ask)
  // A reason is asked for where there is room: behind the look.
  const short = ask.options.filter(option => option !== 'deny-with-reason')
  const options = whole ? short : short.filter(refuses)
  const chosen = await vscode.window.showWarningMessage(message, ...options.map(labelOf), LOOK)
  if (chosen === undefined) return
  const option = options.find(each => labelOf(each) === chosen)
  if (option) await answer(ask, option, asking)
  else await lookAndAnswer(ask, asking)
}

/** Opens the whole question, then offers every answer. */
export async function lookAndAnswer(ask: Ask, asking: AskContext): Promise<void> {
  await asking.show(ask)
  const chosen = await vscode.window.showQuickPick(
    ask.options.map(option => ({ label: labelOf(option), option })),
    { title: plain(ask.title).slice(0, 200), placeHolder: 'Your answer', ignoreFocusOut: true },
  )
  if (chosen) await answer(ask, chosen.option, asking)
}

/** Sends what the person chose, bound to what the person saw. */
async function answer(ask: Ask, option: AskOption, { daemon, letIn }: AskContext): Promise<void> {
  let reason: string | undefined
  if (option === 'deny-with-reason') {
    reason = await vscode.window.showInputBox({
      title: 'Why not?',
      prompt: 'The agent is told this.',
      ignoreFocusOut: true,
      validateInput: text =>
        text.trim() === ''
          ? 'Say why, or press Escape.'
          : text.length > MAX_REASON_LENGTH
            ? `At most ${MAX_REASON_LENGTH} characters.`
            : undefined,
    })
    if (reason === undefined) return
  }
  try {
    if (!(await daemon.isLetIn())) {
      const letAnswer = 'Let it answer…'
      const said = 'Baton does not know this editor yet, so it cannot answer for you.'
      if ((await vscode.window.showWarningMessage(said, letAnswer)) !== letAnswer) return
      if (!(await letEditorAnswer(daemon))) return
      letIn()
    }
    const body = { option, fingerprint: ask.fingerprint, ...(reason === undefined ? {} : { reason }) }
    await daemon.post(`/api/asks/${ask.id}/answer`, Ask, body, { asPerson: true })
    vscode.window.setStatusBarMessage(`Baton: ${LABELS[option]}`, 5000)
  } catch (cause) {
    void vscode.window.showErrorMessage(plain(sentence(cause)))
  }
}

const labelOf = (option: AskOption): string => LABELS[option]
/** A no is safe also where not all of the question can be seen. */
const refuses = (option: AskOption): boolean => option === 'deny' || option === 'no'
