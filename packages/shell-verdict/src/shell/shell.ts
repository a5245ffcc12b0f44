import type { Folders } from './folders.ts'
import type { Reach, SimpleCommand } from './simple-command.ts'
import type { Range, Unknown, UnknownCode } from './unknown.ts'
import { TextVariables } from './variables.ts'

const MAX_DEPTH = 12
const MAX_LEVEL = 1000
const MAX_COMMANDS = 1000
const MAX_UNKNOWNS = 64
/** Characters that shells read from standard input; several may read the same text. */
const MAX_INPUT = 64 * 1024

/** Where in the text the walk is. */
export interface Place {
  readonly via: readonly Reach[]
  readonly elsewhere: boolean
  /** How many programs stand between the shell and this command. */
  readonly depth: number
  /** How deep the syntax is nested. */
  readonly level: number
  /** Set inside a text that is in an argument: its offsets are those of that argument. */
  readonly range: Range | undefined
  /** What is known of the standard input. */
  readonly input: string | undefined
  /** Commands here run in order, once, whatever happened before. */
  readonly straight: boolean
}

/** What is known of the shell at the point that the walk has reached, and what was found until there. */
export class Shell {
  readonly commands: SimpleCommand[] = []
  readonly unknowns: Unknown[] = []
  readonly home: string
  /** What a command surely prints, by its index. */
  readonly outputs = new Map<number, string>()
  /** Functions that are surely defined. */
  functions = new Set<string>()
  /** Some function changes the folder. */
  movingFunctions = false
  variables: TextVariables
  folders: Folders
  /** Commands before this one in the same pipe. */
  upstream: readonly number[] = []
  #input = 0
  #place: Place = {
    via: [],
    elsewhere: false,
    depth: 0,
    level: 0,
    range: undefined,
    input: undefined,
    straight: true,
  }

  constructor(source: string, { cwd, home }: { cwd: string; home: string }) {
    this.home = home
    this.folders = [cwd]
    this.variables = new TextVariables(source, home)
  }

  get place(): Place {
    return this.#place
  }

  unknown(code: UnknownCode, reason: string, range: Range, part?: number): void {
    if (this.unknowns.length > MAX_UNKNOWNS) return
    // Of the rest it is only said that there is more, as no rule speaks for that.
    if (this.unknowns.length === MAX_UNKNOWNS && code !== 'count') {
      this.unknown('count', `more than ${MAX_UNKNOWNS} things are not known before it runs`, range)
      return
    }
    this.unknowns.push({
      code,
      reason,
      range: this.#place.range ?? range,
      ...(part === undefined ? {} : { part }),
    })
  }

  /** Too much of everything: what follows is not looked at, and that is said once. */
  isFull(at: Range): boolean {
    if (this.#place.level <= MAX_LEVEL && !this.hasTooMany) return false
    if (!this.unknowns.some(unknown => unknown.code === 'count'))
      this.unknown('count', `more than ${MAX_COMMANDS} commands`, at)
    return true
  }

  get hasTooMany(): boolean {
    return this.commands.length > MAX_COMMANDS
  }

  hasTooMuchInput(text: string, at: Range): boolean {
    this.#input += text.length
    if (this.#input <= MAX_INPUT) return false
    this.unknown('count', `shells read more than ${MAX_INPUT} characters of standard input`, at)
    return true
  }

  isTooDeep(at: Range): boolean {
    if (this.#place.depth < MAX_DEPTH) return false
    this.unknown('depth', `nested more than ${MAX_DEPTH} levels deep`, at)
    return true
  }

  inside(change: Partial<Place>, run: () => void): void {
    const before = this.#place
    this.#place = {
      ...before,
      ...change,
      range: before.range ?? change.range,
      elsewhere: before.elsewhere || change.elsewhere === true,
      depth: before.depth + (change.range ? 1 : 0),
      level: before.level + 1,
    }
    run()
    this.#place = before
  }

  /** One step further in, reached in this way. */
  through(reach: Reach): Pick<Place, 'via'> {
    return { via: [...this.#place.via, reach] }
  }

  /** What runs in a process of its own moves no other process. */
  keepFolder(run: () => void): void {
    const { folders } = this
    run()
    this.folders = folders
  }
}
