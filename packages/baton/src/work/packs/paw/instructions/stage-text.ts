/** What one stage's agent is told, beside how it hands over. */
export interface StageText {
  /** When to use this agent, in a sentence. */
  description: string
  body: string
}
