/** How an agent's own dialog takes the answers to the questions of a tool call, and words for one of its options. */
export interface DialogStyle {
  /** One of the last lines before the dialog opens for questions. Absent: it always opens. */
  readonly opensAfter?: RegExp
  /** The options have numbers. */
  readonly numbered: boolean
  /** The last option, which takes words instead of the offered choices. Absent: no option does. */
  readonly ownWords?: RegExp
  /** The key that opens a text field for that option. Absent: the option itself is the text field, once it is marked. */
  readonly openWords?: 'Tab'
  /** An empty text field, as the screen shows it. */
  readonly emptyField: RegExp
  /** What the screen shows after several answers, until Enter submits all of them. Absent: the last answer submits them. */
  readonly review?: RegExp
  /** The option of a plan's dialog that takes a comment: in its own row, or on the prompt line after the dialog has closed. */
  readonly comment?: { readonly option: RegExp; readonly typedOn: 'option' | 'prompt' }
}

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
  /** Absent: Baton does not answer the agent's questions by keystrokes. */
  readonly dialog?: DialogStyle
  /** Reads a screen, with escape codes, and the window's title. `typed` is the text on the prompt line. */
  read(screen: string, title?: string): { state: 'waiting' | 'working' | 'dialog' | 'unknown'; typed: string }
}
