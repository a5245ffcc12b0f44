/** What a driver must know about an agent's screen. Pure: text in, values out. */
export interface AgentTerminal {
  /** The command that starts a new conversation, e.g. `/clear`. */
  readonly clear: string
  /** The agent reports a new conversation only with its first prompt. */
  readonly startsWithPrompt?: true
  /** The key that interrupts a running turn. */
  readonly interrupt: 'Escape' | 'C-c'
  /** The text with which the screen asks for that key a second time. */
  readonly interruptAgain?: RegExp
  /** The key that clears text left on the prompt line by Baton or an interrupted turn. Pressed until the line is empty. */
  readonly erase?: 'C-c' | 'C-u'
  /** Reads a screen, with escape codes, and the window's title. `typed` is the text on the prompt line. */
  read(screen: string, title?: string): { state: 'waiting' | 'working' | 'dialog' | 'unknown'; typed: string }
}
