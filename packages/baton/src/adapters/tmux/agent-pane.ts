import { setTimeout as pause } from 'node:timers/promises'
import type { ScreenReading } from '../../ports/driver.ts'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { isOwnTyping, isTypedInto, type Pane, paneAt, screenOf } from './pane.ts'
import { readDialog } from './screen-dialog.ts'
import type { TmuxServer } from './server.ts'

const POLL_MS = 40

/** What a pane shows, interpreted as its agent's screen. */
export interface View extends Omit<ScreenReading, 'dialog'> {
  dialog?: ReturnType<typeof readDialog>
  /** The text on the prompt line. */
  typed: string
  pane?: (Pane & { now: number }) | undefined
}

/** A pane in which an agent runs. */
export class AgentPane {
  readonly server: TmuxServer
  readonly id: string
  readonly terminal: AgentTerminal | undefined
  readonly #elapsed: () => number

  constructor(server: TmuxServer, id: string, terminal: AgentTerminal | undefined, elapsed: () => number) {
    this.server = server
    this.id = id
    this.terminal = terminal
    this.#elapsed = elapsed
  }

  /** What the pane shows, no matter who typed the text on the prompt line. */
  async view(): Promise<View> {
    const pane = await paneAt(this.server, this.id)
    if (!pane) return { state: 'gone', typed: '', lines: [] }
    const screen = (await screenOf(this.server, pane.id)) ?? ''
    const { state, typed } = this.terminal?.read(screen, pane.title) ?? {
      state: 'unknown' as const,
      typed: '',
    }
    const seen = { typed, lines: linesOf(screen), pid: pane.pid }
    if (pane.dead) return { ...seen, state: 'dead' }
    if (pane.inMode) return { ...seen, state: 'person', pane }
    if (state !== 'dialog') return { ...seen, state, pane }
    return isTooSmall(pane)
      ? { ...seen, state: 'unknown', pane }
      : { ...seen, state, pane, dialog: readDialog(seen.lines, this.terminal?.dialog) }
  }

  /** What the pane shows, but `person` if a person is typing or has left unfinished text on the prompt line. */
  async look(): Promise<View> {
    const seen = await this.view()
    const { pane } = seen
    if (!pane) return seen
    const halfTyped = seen.typed !== '' && !(await isOwnTyping(this.server, pane))
    return halfTyped || (await isTypedInto(this.server, pane)) ? { ...seen, state: 'person' } : seen
  }

  async press(key: string): Promise<void> {
    await this.server.run(['send-keys', '-t', this.id, key])
  }

  eventually(holds: () => Promise<boolean>, withinMs: number): Promise<boolean> {
    return eventually(holds, withinMs, this.#elapsed)
  }
}

/** No prompt line fits, so a screen without one need not show a dialog. */
const isTooSmall = ({ width, height }: Pane): boolean => width < 40 || height < 8

/** Polls until the condition holds. False if it does not hold within the time. */
export async function eventually(
  holds: () => Promise<boolean>,
  withinMs: number,
  elapsed: () => number,
): Promise<boolean> {
  for (const until = elapsed() + withinMs; ; await pause(POLL_MS)) {
    if (await holds()) return true
    if (elapsed() > until) return false
  }
}

const linesOf = (screen: string): string[] =>
  screen
    .replaceAll(/\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])/g, '')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .trimEnd()
    .split('\n')
