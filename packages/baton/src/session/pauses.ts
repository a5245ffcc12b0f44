import { type Pause, PauseList } from '@batonpass/contract/pause'
import { readJsonFile } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'

const FILE = 'pause.json'

/** Where a person has told Baton to stand aside. Stored in one file of the state folder, so a restart keeps it. */
export class Pauses {
  readonly #files: Pick<SmallFiles, 'read' | 'write'>
  readonly #stateDir: string
  #pauses: readonly Pause[]
  #writing: Promise<unknown> = Promise.resolve()
  readonly #waiting: (() => void)[] = []

  private constructor(files: Pick<SmallFiles, 'read' | 'write'>, stateDir: string, pauses: readonly Pause[]) {
    this.#files = files
    this.#stateDir = stateDir
    this.#pauses = pauses
  }

  /** Without a readable file Baton is not paused: that is the state in which its rules hold. */
  static async load(files: Pick<SmallFiles, 'read' | 'write'>, stateDir: string): Promise<Pauses> {
    const found = await readJsonFile(files, stateDir, FILE, PauseList).catch(() => undefined)
    return new Pauses(files, stateDir, found?.pauses ?? [])
  }

  list(): readonly Pause[] {
    return this.#pauses
  }

  /** The pause that applies to a session or a project, the widest first. */
  of(about: { session?: string | undefined; project?: string | undefined }): Pause | undefined {
    if (this.#pauses.length === 0) return undefined
    const applies = (pause: Pause): boolean =>
      pause.scope === 'machine' ||
      (pause.scope === 'project' && pause.project === about.project) ||
      (pause.scope === 'session' && pause.session === about.session)
    return ORDER.flatMap(scope => this.#pauses.filter(pause => pause.scope === scope && applies(pause)))[0]
  }

  /** Resolves as soon as no pause applies. */
  async untilEnded(about: { session?: string | undefined; project?: string | undefined }): Promise<void> {
    while (this.of(about)) await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** On disk before it applies, so that a crash right after it changes nothing. */
  add(pause: Pause): Promise<void> {
    return this.#change(known => [...known.filter(each => keyOf(each) !== keyOf(pause)), pause])
  }

  /** Ends the pauses that match; returns them. */
  async remove(matches: (pause: Pause) => boolean): Promise<readonly Pause[]> {
    const ended: Pause[] = []
    await this.#change(known => {
      ended.push(...known.filter(matches))
      return known.filter(pause => !matches(pause))
    })
    return ended
  }

  #change(change: (known: readonly Pause[]) => readonly Pause[]): Promise<void> {
    const work = this.#writing
      .catch(() => {})
      .then(async () => {
        const next = change(this.#pauses)
        await this.#files.write(this.#stateDir, FILE, `${JSON.stringify({ pauses: next })}\n`)
        this.#pauses = next
        for (const look of this.#waiting.splice(0)) look()
      })
    this.#writing = work
    return work
  }
}

const ORDER = ['machine', 'project', 'session'] as const

const keyOf = (pause: Pause): string =>
  pause.scope === 'machine'
    ? 'machine'
    : pause.scope === 'project'
      ? `project ${pause.project}`
      : `session ${pause.session}`
