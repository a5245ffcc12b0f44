/** What a driver must know of one agent's screen. Pure: text in, values out. */
export interface AgentTerminal {
  /** What is typed to begin a fresh conversation, e.g. `/clear`. */
  readonly clear: string
  /** It tells of a fresh conversation only with the first prompt in it. */
  readonly startsWithPrompt?: true
  /** The key that stops a running turn. */
  readonly interrupt: 'Escape' | 'C-c'
  /** What the screen says when it wants that key once more, to be sure. */
  readonly interruptAgain?: RegExp
  /** The key that empties the prompt line, pressed until it is empty: of words that Baton or a stopped turn left there. */
  readonly erase?: 'C-c' | 'C-u'
  /** What the screen shows (escape codes included) under the window's title; `typed` is what stands on the prompt line. */
  read(screen: string, title?: string): { state: 'waiting' | 'working' | 'dialog' | 'unknown'; typed: string }
}
