import type { ChooseResult, ScreenDialog } from '../../ports/driver.ts'
import type { AgentPane } from './agent-pane.ts'
import { isSameDialog } from './screen-dialog.ts'
import { pasteText, typeable, typeInto } from './type-text.ts'

/** How long a program may take to move its mark, or to close the dialog. */
const MOVED_MS = 2000
const CLOSED_MS = 10_000

/**
 * Moves the mark to an option of a dialog and presses Enter. Each key is pressed only while exactly this dialog is shown.
 * Words are a comment: they are typed into the option itself, or on the prompt line that the option leads to.
 */
export async function chooseIn(
  pane: AgentPane,
  dialog: ScreenDialog,
  option: number,
  words?: string,
): Promise<ChooseResult> {
  const comment = typeable(words?.replaceAll(/\s*\n\s*/g, ' ') ?? '')
  const before = await pane.look()
  if (before.state === 'gone' || before.state === 'dead') return 'gone'
  if (comment !== '' && option !== dialog.commentOption) return 'changed'
  for (let presses = 0; presses <= dialog.options.length; presses++) {
    const { state, dialog: shown } = await pane.look()
    if (state !== 'dialog' || !shown || !isSameDialog(shown, dialog)) return 'changed'
    if (shown.marked === option) return await takeOption(pane, dialog, option, comment)
    await pane.press(shown.marked < option ? 'Down' : 'Up')
    await pane.eventually(async () => (await pane.view()).dialog?.marked !== shown.marked, MOVED_MS)
  }
  return 'not-taken'
}

async function takeOption(
  pane: AgentPane,
  dialog: ScreenDialog,
  option: number,
  comment: string,
): Promise<ChooseResult> {
  if (comment === '') return await confirm(pane, dialog)
  if (pane.terminal?.dialog?.comment?.typedOn === 'option') {
    if (!(await pasteText(pane, comment))) return 'gone'
    const isTyped = await pane.eventually(async () => {
      const { dialog: shown } = await pane.view()
      return (
        shown?.marked === option &&
        shown.text === dialog.text &&
        shown.options[option] !== dialog.options[option]
      )
    }, CLOSED_MS)
    return isTyped ? await confirm(pane, dialog) : 'not-taken'
  }
  const closed = await confirm(pane, dialog)
  if (closed !== 'taken') return closed
  await pane.eventually(async () => (await pane.view()).state === 'waiting', CLOSED_MS)
  const typed = await typeInto(pane, comment)
  return typed === 'busy' ? 'not-taken' : typed
}

/** Closed: the text above the options is gone, whatever was typed into one of them. */
async function confirm(pane: AgentPane, dialog: ScreenDialog): Promise<ChooseResult> {
  await pane.press('Enter')
  const closed = await pane.eventually(async () => {
    const { dialog: shown } = await pane.view()
    return !shown || shown.text !== dialog.text || shown.options.length !== dialog.options.length
  }, CLOSED_MS)
  return closed ? 'taken' : 'not-taken'
}
