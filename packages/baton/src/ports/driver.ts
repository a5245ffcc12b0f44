import type { ConversationView } from '@batonpass/contract/conversation'
import type { AgentName } from '@batonpass/contract/event'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import type { Launch } from './launch.ts'

/**
 * Acts on a session from outside, where its hooks cannot. A place is `%5 /tmp/tmux-1000/default` for a tmux pane (as hooks
 * report it) or `hosted <id>` for a session that Baton hosts over ACP. Only drivers interpret a place.
 */
export interface Driver {
  readonly kind: 'tmux' | 'acp'
  reaches(place: string): boolean
  readScreen(place: string, agent: AgentName): Promise<ScreenReading>
  /** Whether the place shows the agent's own screen, even while a person types there. Absent: no. */
  showsAgent?(place: string, agent: AgentName): Promise<boolean>
  /** A cheap status of many places at once. Absent: Baton reads each screen instead. */
  checkPlaces?(places: readonly string[]): Promise<ReadonlyMap<string, PlaceStatus>>
  /** The conversation at a place that has no screen. */
  conversation?(place: string): LiveConversation | undefined
  /** Types a prompt, submits it and verifies that the agent took it. */
  type(place: string, text: string, agent: AgentName): Promise<TypeResult>
  /** Interrupts the running turn. */
  interrupt(place: string, agent: AgentName): Promise<'interrupted' | 'idle' | 'gone'>
  /** Starts a new conversation at the same place; the agent's own session id changes. */
  clear(place: string, agent: AgentName): Promise<TypeResult>
  /** Whether this agent reports a cleared conversation only with its first prompt. Otherwise it reports at once. */
  startsWithPrompt?(agent: AgentName): boolean
  /** Takes an option of the dialog on the screen, if it still shows exactly this dialog. Absent: it cannot. */
  choose?(
    place: string,
    agent: AgentName,
    dialog: ScreenDialog,
    option: number,
    /** A comment, if the option is the dialog's `commentOption`. */
    words?: string,
  ): Promise<ChooseResult>
  /** Whether the agent runs at this place and its own dialog for these questions can be answered with `answer`. Absent: no. */
  canAnswer?(place: string, agent: AgentName, questions: readonly AskedQuestion[]): Promise<boolean>
  /** Whether the place shows the agent's own dialog for one of these questions. */
  findQuestions?(place: string, agent: AgentName, questions: readonly AskedQuestion[]): Promise<QuestionSight>
  /** Answers in the agent's own dialog, if the screen shows exactly these questions. */
  answer?(
    place: string,
    agent: AgentName,
    questions: readonly AskedQuestion[],
    replies: readonly Reply[],
  ): Promise<ChooseResult>
  start(order: StartOrder): Promise<Started>
  /** Ends only what `start` started. */
  kill(place: string): Promise<boolean>
}

/**
 * `taken`: the agent has the prompt. `busy`: nothing was typed, because the agent does not wait for input or a person is
 * typing. `not-taken`: typed, but the text stayed on the prompt line. `gone`: the place does not exist.
 */
export type TypeResult = 'taken' | 'not-taken' | 'busy' | 'gone'

/** `changed`: the screen shows something else, or a person is typing there; nothing was chosen. `not-taken`: the dialog stayed. */
export type ChooseResult = 'taken' | 'not-taken' | 'changed' | 'gone'

/** `gone`: the agent works or waits for a prompt, or its terminal is gone. `unclear`: it shows something else. */
export type QuestionSight = 'shown' | 'gone' | 'unclear'

/** A list of options on an agent's screen. */
export interface ScreenDialog {
  /** One line of it: what is asked. */
  question: string
  /** All that is above the options. */
  text: string
  options: readonly string[]
  /** Which option takes a comment, from 0. */
  commentOption?: number | undefined
}

export interface ScreenReading {
  /** `waiting`: an empty prompt line. `person`: a person is typing or scrolling back. `dialog`: the agent asks something. */
  state: 'waiting' | 'working' | 'person' | 'dialog' | 'unknown' | 'dead' | 'gone'
  /** The last lines on the screen (or of the conversation), oldest first, without control characters. */
  lines: readonly string[]
  pid?: number | undefined
  /** With `dialog`, if it is a list of options. */
  dialog?: ScreenDialog | undefined
}

export interface LiveConversation {
  /** The agent's own id of the open conversation. */
  nativeSession: string | undefined
  since(rev: number): ConversationView
  /** Calls after each change. */
  listen(listener: () => void): () => void
}

export interface PlaceStatus {
  state: 'there' | 'dead' | 'gone'
  pid?: number | undefined
  /** When the place last printed something, in milliseconds since the epoch; may be off by a second. */
  changedAt?: number | undefined
}

export interface StartOrder {
  agent: AgentName
  launch: Launch
  cwd: string
  /** The display name of the tmux session or the hosted session. */
  title: string
  env?: Readonly<Record<string, string>>
  /** An MCP server for the session, if the driver supports it. */
  tools?: ToolServer | undefined
  /** Which server of the driver to use, e.g. a tmux socket. */
  where?: string | undefined
}

/** An MCP server that the agent starts and talks to on its standard streams. */
export interface ToolServer {
  name: string
  command: string
  args: readonly string[]
}

export interface Started {
  place: string
  pid?: number | undefined
  /** The agent's own session id, if already known. */
  nativeSession?: string | undefined
}
