import type { AgentPane } from './agent-pane.ts'
import { isTypedInto } from './pane.ts'
import { erase, TAKEN_MS } from './type-text.ts'

const STOPPED_MS = 5000
/** How long a stopped agent may take to put its prompt back. */
const PUT_BACK_MS = 600

/** Stops the turn that runs, and takes away what the agent then puts on its prompt line. */
export async function interruptIn(pane: AgentPane): Promise<'interrupted' | 'idle' | 'gone'> {
  const { state, typed: before } = await pane.view()
  if (state === 'gone' || state === 'dead') return 'gone'
  if (state !== 'working') return 'idle'
  const { interrupt = 'Escape', interruptAgain, erase: canErase } = pane.terminal ?? {}
  await pane.press(interrupt)
  if (interruptAgain && (await asks(pane, interruptAgain))) await pane.press(interrupt)
  await pane.eventually(async () => (await pane.view()).state !== 'working', STOPPED_MS)
  // Nobody typed this: it is the stopped turn's own prompt, put back to be mended.
  if (
    canErase &&
    before === '' &&
    (await pane.eventually(async () => (await pane.view()).typed !== '', PUT_BACK_MS))
  ) {
    const { pane: shown } = await pane.view()
    if (shown && !(await isTypedInto(pane.server, shown))) await erase(pane)
  }
  return 'interrupted'
}

/** Whether a program that works says something; one that does not work any more is not waited for. */
async function asks(pane: AgentPane, words: RegExp): Promise<boolean> {
  let said = false
  await pane.eventually(async () => {
    const { state, lines } = await pane.view()
    said = state === 'working' && lines.some(line => words.test(line))
    return said || state !== 'working'
  }, TAKEN_MS)
  return said
}
