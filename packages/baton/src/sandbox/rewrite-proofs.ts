import type { EventOf } from '@batonpass/contract/event'

/** Whether a program runs what Baton hands it in place of a command. `dropped`: it ran the command itself. */
export type RewriteState = 'unknown' | 'proven' | 'dropped'

export interface RewriteProofParts {
  /** Baton's own file. */
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
}

/** An agent's program: another version is another one. */
export interface AgentProgram {
  agent: string
  program: string
}

interface Kept extends AgentProgram {
  state: Exclude<RewriteState, 'unknown'>
}

/** What the daemon knows about agents' programs, below the state folder. */
export const PROOFS_FILE = 'sandbox/rewrites.json'
/** What `baton init` found out by starting them. Each of the two files has one writer. */
export const TRIALS_FILE = 'sandbox/rewrite-trials.json'

/** Programs that are remembered; older ones are forgotten and looked at again. */
const MOST_KEPT = 100

/**
 * Which agents' programs run commands in the sandbox when a hook says so. Some would run the command itself if they dropped
 * the replacement, so each version has to be seen doing it with a harmless command first, and is watched afterwards.
 */
export class RewriteProofs {
  readonly #parts: RewriteProofParts
  #kept: Promise<readonly Kept[]> | undefined

  constructor(parts: RewriteProofParts) {
    this.#parts = parts
  }

  async stateOf(of: AgentProgram): Promise<RewriteState> {
    return (await this.#all()).find(each => isSame(each, of))?.state ?? 'unknown'
  }

  /** Returns whether that is news. A program that dropped a replacement once is not trusted again. */
  async record(of: AgentProgram, state: Kept['state']): Promise<boolean> {
    const before = await this.#all()
    const known = before.find(each => isSame(each, of))?.state
    if (known === state || known === 'dropped') return false
    const { agent, program } = of
    const all = [{ agent, program, state }, ...before.filter(each => !isSame(each, of))]
    const isDropped = (each: Kept) => each.state === 'dropped'
    // Those that are not trusted are forgotten last.
    const after = [...all.filter(isDropped), ...all.filter(each => !isDropped(each))].slice(0, MOST_KEPT)
    this.#kept = Promise.resolve(after)
    await this.#parts.save(JSON.stringify(after))
    return true
  }

  /** Programs whose commands are judged by their text because they drop replacements. */
  async dropped(): Promise<AgentProgram[]> {
    return (await this.#all()).filter(({ state }) => state === 'dropped')
  }

  #all(): Promise<readonly Kept[]> {
    this.#kept ??= this.#parts.load().then(parseKept)
    return this.#kept
  }
}

const isSame = (a: AgentProgram, b: AgentProgram): boolean => a.agent === b.agent && a.program === b.program

/** A damaged file counts as none: every program is looked at again. */
function parseKept(text: string | undefined): Kept[] {
  try {
    const all: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(all) ? all.filter(isKept) : []
  } catch {
    return []
  }
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  ['agent', 'program'].every(key => typeof Reflect.get(value, key) === 'string') &&
  ['proven', 'dropped'].includes(Reflect.get(value, 'state'))

/** A command that the agent was handed a replacement for. */
export interface Replacement {
  session: string
  id: string
  toolUseId?: string | undefined
  /** The agent's own command. */
  command: string
  /** What it runs instead. */
  text: string
  of: AgentProgram
}

const MOST_REPLACEMENTS = 200
const MOST_COMMANDS = 1000

/** Replacements whose commands have not ended yet. */
export class Replacements {
  #all: Replacement[] = []
  /** Of commands that ended, too, by what ran instead of them: some agents show that to their model, which repeats it. */
  readonly #commands = new Map<string, string>()

  add(one: Replacement): void {
    this.#commands.set(`${one.session} ${one.text}`, one.command)
    const [oldest] = this.#commands.keys()
    if (this.#commands.size > MOST_COMMANDS && oldest !== undefined) this.#commands.delete(oldest)
    // Agents without ids of calls: what was asked for before and never ran must not be taken for this one.
    const isOlder = (each: Replacement) =>
      each.session === one.session && each.toolUseId === one.toolUseId && each.command === one.command
    this.#all = [...this.#all.filter(each => !isOlder(each)), one].slice(-MOST_REPLACEMENTS)
  }

  /** The replacement of a command that ended. */
  take(
    session: string,
    { id, toolUseId, command }: { id?: string | undefined; toolUseId?: string | undefined; command: string },
  ): Replacement | undefined {
    const found = this.#all.find(each => {
      if (each.session !== session) return false
      if (id !== undefined) return each.id === id
      return each.toolUseId === toolUseId && each.command === command
    })
    if (found) this.#all = this.#all.filter(each => each !== found)
    return found
  }

  /** The agent's own command behind what ran instead of it. */
  commandOf(session: string, text: string): string | undefined {
    return this.#commands.get(`${session} ${text.trim()}`)
  }

  /** A new call with the same text and no replacement. */
  forget(
    session: string,
    { toolUseId, action }: Pick<EventOf<'ToolRequested'>, 'toolUseId' | 'action'>,
  ): void {
    if (action.kind === 'shell') this.take(session, { toolUseId, command: action.command })
  }

  of(of: AgentProgram): readonly Replacement[] {
    return this.#all.filter(each => isSame(each.of, of))
  }

  end(session: string): void {
    this.#all = this.#all.filter(each => each.session !== session)
  }
}
