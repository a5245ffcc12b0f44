/** What came of one look at a claim. */
export interface StepOutcome {
  did: 'nothing' | 'synced' | 'opened' | 'refused' | 'polled' | 'asked' | 'closed' | 'ended' | 'failed'
  /** For whoever is at the agent's terminal. */
  notice?: string
  /** The agent can mend what stands in the way, by this. */
  mend?: string
}

export interface Trigger {
  why: 'stop' | 'tick' | 'nudge'
  /** No turn of the claim's agent is under way. */
  resting: boolean
}
