import { join } from 'node:path'
import { folderForge } from '../adapters/folder-forge/forge.ts'
import { gitHub } from '../adapters/github/forge.ts'
import { tokenFor } from '../adapters/github/token.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Environment } from '../config/places.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { Git } from '../ports/git.ts'
import { repositoryOf } from '../ports/remote.ts'

/** How long "there is none" is believed: a person may log in meanwhile. */
const NONE_MS = 60_000

/** The forge of each project, found by its remote; undefined where there is no remote, no token or another service. */
export function forgeKeeper(parts: {
  git: Git
  env: Environment
  clock: Clock
  /** A folder that stands for the forge, where the person's own configuration names one. */
  folder?: () => string
  /** Only for tests and odd networks. */
  apiUrl?: (host: string) => string | undefined
}): (project: string) => Promise<Forge | undefined> {
  const { git, env, clock } = parts
  const kept = new Map<string, { forge: Promise<Forge | undefined>; until: number }>()
  return async project => {
    const url = await git.remoteUrl(project)
    const folder = parts.folder?.()
    if (folder) return url === join(folder, 'origin.git') ? folderForge(folder, systemSmallFiles) : undefined
    const repository = url === undefined ? undefined : repositoryOf(url)
    if (!repository) return undefined
    const key = `${repository.host}/${repository.owner}/${repository.name}`
    const known = kept.get(key)
    if (known && known.until > clock.elapsed()) return known.forge
    const open = async () => {
      const token = await tokenFor(repository.host, { env })
      const apiUrl = parts.apiUrl?.(repository.host)
      return gitHub({ repository, clock, token, ...(apiUrl ? { apiUrl } : {}) })
    }
    const forge = open().catch(() => undefined)
    kept.set(key, { forge, until: Number.POSITIVE_INFINITY })
    if (!(await forge)) kept.set(key, { forge, until: clock.elapsed() + NONE_MS })
    return forge
  }
}
