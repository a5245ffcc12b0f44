/** What one reply of the model used. */
export interface Usage {
  model: string
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** How far a transcript was read. */
export interface Reading {
  offset: number
  /** The last reply that was counted: one reply may stand in several rows. */
  message?: string | undefined
}

/** An agent's own record of a session. It is written while we read, and nothing in it is to be trusted. */
export interface Transcripts {
  /** The replies since the last reading; undefined when there is no transcript. Without `from`: from its present end on. */
  usage(path: string, from: Reading | undefined): Promise<{ replies: Usage[]; reading: Reading } | undefined>
  /** The end of the conversation as text, and the error of the model service if that is the last thing in it. */
  tail(path: string, limit: number): Promise<{ text: string; error: string | undefined } | undefined>
}
