import type { AgentName } from '@batonpass/contract/event'

/** A program and its arguments. They never go through a shell. */
export interface Launch {
  program: string
  args: readonly string[]
  /** Extra environment variables. */
  env?: Readonly<Record<string, string>>
}

export interface AnswerOrder {
  model?: string | undefined
  flags?: readonly string[]
  /** A folder that it may read with tools of its own, because it runs in the sandbox. */
  reads?: string | undefined
}

/** How to start an agent for a single answer. */
export interface AnswerLaunch extends Launch {
  /** Files to write to the call's own, otherwise empty folder, for options that an agent reads only from files. */
  files?: Readonly<Record<string, string>>
  /** It has tools that read, as it was ordered. */
  reads?: boolean
}

/** How to start an agent as a program that speaks the Agent Client Protocol. */
export interface AcpLaunch extends Launch {
  /** What the user can do if the program is missing. */
  remedy: string
  /** The variable that names the agent's own program, if it is not the one that comes with this program. */
  programVariable?: string
  /** A denied call ends the turn in this way, so Baton reports the denial in a new turn. */
  endsWhenRefused?: 'cancelled' | 'ended'
  /** The input of a call if the program leaves it out. Must be certain, because rules decide by it. */
  inputOf?(call: {
    kind: string | undefined
    title: string
    text: string
  }): Readonly<Record<string, unknown>> | undefined
}

/** The ways to start one agent. */
export interface Launches {
  readonly agent: AgentName
  /** In a terminal, with a first prompt or a session to resume. */
  interactive(order: { prompt?: string; resume?: string }): Launch
  /** Without a terminal, to the end of one turn. */
  headless(order: { prompt: string; resume?: string }): Launch
  /** For a single answer as plain text on stdout. The question arrives on stdin; tools are disabled if the agent allows it. */
  answer?(order: AnswerOrder): AnswerLaunch
  /** As a program that speaks the Agent Client Protocol on its standard streams, if available. */
  acp?(): AcpLaunch
  /** Lets the agent start in a folder without its own question whether to trust it, if the user trusted the other one. */
  inheritTrust?(
    folder: string,
    trusted: string,
    place: { home: string; configFolder?: string | undefined },
  ): Promise<void>
  /** Arguments with which its program registers and removes the MCP server `baton` for the user. */
  tools?: { add(program: string): readonly string[]; remove: readonly string[] }
}
