import type { ChooseResult, ScreenDialog } from '../../ports/driver.ts'
import type { AgentPane } from './agent-pane.ts'
import { isSameDialog } from './screen-dialog.ts'

/** How long a program may take to move its mark, or to close the dialog. */
const MOVED_MS = 2000
const CLOSED_MS = 4000

/** Moves the mark to an option of a dialog and presses Enter. Each key is pressed only while exactly this dialog is shown. */
export async function chooseIn(pane: AgentPane, dialog: ScreenDialog, option: number): Promise<ChooseResult> {
  const before = await pane.look()
  if (before.state === 'gone' || before.state === 'dead') return 'gone'
  for (let presses = 0; presses <= dialog.options.length; presses++) {
    const { state, dialog: shown } = await pane.look()
    if (state !== 'dialog' || !shown || !isSameDialog(shown, dialog)) return 'changed'
    if (shown.marked === option) return await confirm(pane, dialog)
    await pane.press(shown.marked < option ? 'Down' : 'Up')
    await pane.eventually(async () => (await pane.view()).dialog?.marked !== shown.marked, MOVED_MS)
  }
  return 'not-taken'
}

async function confirm(pane: AgentPane, dialog: ScreenDialog): Promise<ChooseResult> {
  await pane.press('Enter')
  const closed = await pane.eventually(async () => {
    const { dialog: shown } = await pane.view()
    return !shown || !isSameDialog(shown, dialog)
  }, CLOSED_MS)
  return closed ? 'taken' : 'not-taken'
}
