import type { AgentName } from '@batonpass/contract/event'

/** A program and its arguments: no shell ever sees them. */
export interface Launch {
  program: string
  args: readonly string[]
  /** Added to the environment. */
  env?: Readonly<Record<string, string>>
}

/** A start for one answer. */
export interface AnswerLaunch extends Launch {
  /** Put into the call's own, otherwise empty folder first, for what an agent takes from files only. */
  files?: Readonly<Record<string, string>>
}

/** A start as a program that speaks the Agent Client Protocol. */
export interface AcpLaunch extends Launch {
  /** What to do when the program is not there, for a person. */
  remedy: string
  /** A call that is refused ends its turn in this way, so it has to be told of it in a turn of its own. */
  endsWhenRefused?: 'cancelled' | 'ended'
  /** The input of a call, where the program leaves it out. Only what it says for certain: rules decide by it. */
  inputOf?(call: {
    kind: string | undefined
    title: string
    text: string
  }): Readonly<Record<string, unknown>> | undefined
}

/** How one agent is started. */
export interface Launches {
  readonly agent: AgentName
  /** In a terminal, with a first prompt or a session to resume. */
  interactive(order: { prompt?: string; resume?: string }): Launch
  /** Without a terminal, to the end of one turn. */
  headless(order: { prompt: string; resume?: string }): Launch
  /** For one answer as plain text on its standard output: the question comes on standard input, and its tools are shut where it lets us. */
  answer?(order: { model?: string | undefined; flags?: readonly string[] }): AnswerLaunch
  /** As a program that speaks the Agent Client Protocol on its standard streams, where there is one. */
  acp?(): AcpLaunch
  /** How its program registers an MCP server `baton` for its user, and forgets it again. */
  tools?: { add(program: string): readonly string[]; remove: readonly string[] }
}
