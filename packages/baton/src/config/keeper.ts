import type { Clock } from '../ports/clock.ts'
import { FileError, type Files } from '../ports/files.ts'
import type { ConfigPlaces, LoadedConfig } from './load.ts'
import { watchedFiles } from './places.ts'

/** A change of a project's configuration, reported once. */
export interface ConfigChange {
  /** Absent: the configuration of the whole machine. */
  project: string | undefined
  /** `broken`: the last valid configuration stays active, or the cautious values if there is none. */
  kind: 'loaded' | 'broken' | 'fixed'
  loaded: LoadedConfig
}

export interface ConfigKeeper {
  /** The active configuration of a project. Makes a few `stat` calls at most every `checkEveryMs`. */
  get(project?: string): Promise<LoadedConfig>
  /** Checks the files of every known project now, so that a change is reported even without an event. */
  refresh(): Promise<void>
}

/** Caches each project's configuration and reloads it when one of its files changes, appears or disappears. */
export function keepConfig(
  places: Omit<ConfigPlaces, 'project'>,
  ports: { files: Files; clock: Clock },
  { checkEveryMs = 250, maxProjects = 200, onChange = (_: ConfigChange): void => {} } = {},
): ConfigKeeper {
  const kept = new Map<string | undefined, Kept>()

  const entryFor = (project: string | undefined): Kept => {
    const entry = kept.get(project) ?? { project, checkedAt: Number.NEGATIVE_INFINITY, stamp: '', told: '' }
    // Move to the end, so that the first key of the map is the least recently used one.
    kept.delete(project)
    kept.set(project, entry)
    const [oldest] = kept.keys()
    if (kept.size > maxProjects) kept.delete(oldest)
    return entry
  }

  const check = (entry: Kept): Promise<LoadedConfig> => {
    entry.checking ??= look(entry).finally(() => {
      delete entry.checking
    })
    return entry.checking
  }

  const look = async (entry: Kept): Promise<LoadedConfig> => {
    const { project } = entry
    entry.checkedAt = ports.clock.elapsed()
    // Take the stamp before reading: the next check then sees a change made while reading.
    const stamp = await stampOf(watchedFiles({ ...places, project }), ports)
    if (entry.inForce && stamp === entry.stamp) return entry.inForce
    const { loadConfig } = await import('./load.ts')
    const loaded = await loadConfig({ ...places, project }, ports)
    entry.stamp = stamp
    if (loaded.problems.length === 0) entry.good = loaded
    const { problems, notices, files } = loaded
    entry.inForce = entry.good ? { ...entry.good, problems, notices, files } : loaded
    tell(entry, entry.inForce)
    return entry.inForce
  }

  const tell = (entry: Kept, loaded: LoadedConfig): void => {
    const { config, problems, notices } = loaded
    const now = JSON.stringify({ config, problems, notices })
    if (now === entry.told) return
    entry.told = now
    const kind = problems.length > 0 ? 'broken' : entry.broken ? 'fixed' : 'loaded'
    entry.broken = problems.length > 0
    onChange({ project: entry.project, kind, loaded })
  }

  return {
    async get(project) {
      const entry = entryFor(project)
      const fresh = ports.clock.elapsed() - entry.checkedAt < checkEveryMs
      return entry.inForce && fresh ? entry.inForce : check(entry)
    },
    async refresh() {
      for (const entry of [...kept.values()]) await check(entry)
    },
  }
}

interface Kept {
  project: string | undefined
  checkedAt: number
  stamp: string
  told: string
  broken?: boolean
  inForce?: LoadedConfig
  good?: LoadedConfig
  checking?: Promise<LoadedConfig>
}

/** Two writes within one tick of the file system's clock have the same stamp, so a young file is read again. */
const youngMs = 2000

async function stampOf(
  paths: readonly string[],
  { files, clock }: { files: Files; clock: Clock },
): Promise<string> {
  const now = clock.now()
  const stamps = await Promise.all(
    paths.map(async path => {
      try {
        const facts = await files.facts(path)
        if (!facts) return (await files.taken(path)) ? 'leads nowhere' : 'absent'
        const young = Math.abs(now - facts.modifiedMs) < youngMs
        return young ? `${facts.stamp} young at ${clock.elapsed()}` : facts.stamp
      } catch (error) {
        if (error instanceof FileError) return error.trouble
        throw error
      }
    }),
  )
  return stamps.join('\n')
}
