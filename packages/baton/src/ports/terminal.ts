/** What a driver must know of one agent's screen. Pure: text in, values out. */
export interface AgentTerminal {
  /** What is typed to begin a fresh conversation, e.g. `/clear`. */
  readonly clear: string
  /** It tells of a fresh conversation only with the first prompt in it. */
  readonly startsWithPrompt?: true
  /** The key that stops a running turn. */
  readonly interrupt: 'Escape' | 'C-c'
  /** The key that empties the prompt line, where the agent puts the prompt of a stopped turn back there. */
  readonly erase?: 'C-c' | 'C-u'
  /** What the screen shows (escape codes included); `typed` is what stands on the prompt line. */
  read(screen: string): { state: 'waiting' | 'working' | 'dialog' | 'unknown'; typed: string }
}
