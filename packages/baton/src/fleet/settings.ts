import type { Ids } from '../ports/ids.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'
import type { FleetSettings } from './job-record.ts'

export const DEFAULT_AGENT = 'claude-code'
const DEFAULT_SLOTS = 2

/** Where the settings of this machine are stored. */
export interface SettingsFile {
  read(): Promise<FleetSettings | undefined>
  write(settings: FleetSettings): Promise<void>
}

/** What this machine does in the fleet, kept in memory after the first read. */
export class SettingsKeeper {
  readonly #file: SettingsFile
  readonly #ids: Ids
  readonly #turns = new KeyedQueue()
  #settings: Promise<FleetSettings> | undefined

  constructor(file: SettingsFile, ids: Ids) {
    this.#file = file
    this.#ids = ids
  }

  read(): Promise<FleetSettings> {
    this.#settings ??= this.#file.read().then(
      found =>
        found ?? {
          version: 1,
          machine: this.#ids.id(20),
          mode: 'down',
          slots: DEFAULT_SLOTS,
          agents: [DEFAULT_AGENT],
          projects: {},
        },
    )
    return this.#settings
  }

  /** One change at a time: each replaces the whole file. Returns what is stored now. */
  update(change: (known: FleetSettings) => FleetSettings): Promise<FleetSettings> {
    return this.#turns.run('settings', async () => {
      const known = await this.read()
      const next = change(known)
      if (next === known) return known
      await this.#file.write(next)
      this.#settings = Promise.resolve(next)
      return next
    })
  }

  /** This machine may work on issues of a repository, in clones of this one. */
  async addProject(repository: string, project: string): Promise<void> {
    await this.update(known =>
      known.projects[repository] === project
        ? known
        : { ...known, projects: { ...known.projects, [repository]: project } },
    )
  }
}
