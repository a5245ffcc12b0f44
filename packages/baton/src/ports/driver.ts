/** Types into an agent's terminal, as a person would. */
export interface Driver {
  /**
   * Types a prompt and submits it. `taken`: the prompt line let go of it. `busy`: the agent does not wait for input,
   * or a person has begun to type, so nothing was typed. `gone`: there is no such terminal.
   */
  type(pane: string, text: string): Promise<'taken' | 'not-taken' | 'busy' | 'gone'>
}
