import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import { folderForge } from '../adapters/folder-forge/forge.ts'
import { gitHub } from '../adapters/github/forge.ts'
import { tokenFor } from '../adapters/github/token.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Environment } from '../config/places.ts'
import type { Clock } from '../ports/clock.ts'
import { type Forge, ForgeError } from '../ports/forge.ts'
import type { Git } from '../ports/git.ts'
import { type RepositoryRef, repositoryOf } from '../ports/remote.ts'
import type { WritableForge } from '../ports/writable-forge.ts'

/** How long `find` remembers that a forge could not be opened. Short, because a person may log in meanwhile. */
const FAILURE_CACHE_MS = 60_000

/** Opens the forges of projects, each once. */
export interface ForgeKeeper {
  /** Finds the forge by the project's remote; undefined without a remote or token, or for an unsupported service. */
  find(project: string): Promise<Forge | undefined>
  /** Like `find`, but throws the reason if there is none. A repository given by name needs no remote. */
  open(at: { home: string; repository?: string }): Promise<Forge>
  /** Like `open`, with the methods that change the forge; only for claim/fenced-actions.ts. */
  openWritable(at: { home: string; repository?: string }): Promise<WritableForge>
  /** Forgets a repository's forge: its token may have been renewed. */
  drop(repository: string): void
  /** The login to use if git cannot log in by itself. */
  login(home: string): Promise<{ url: string; token: string } | undefined>
}

export function forgeKeeper(parts: {
  git: Git
  env: Environment
  clock: Clock
  config(project: string): Promise<Config>
}): ForgeKeeper {
  const { git, env, clock } = parts
  const kept = new Map<string, { forge: Promise<WritableForge>; failedAt?: number }>()

  const token = (repository: RepositoryRef, { github }: Config) =>
    tokenFor(repository.host, {
      env,
      ...(github.token ? { configured: github.token } : {}),
      ...(github.host ? { configuredHost: github.host } : {}),
    })

  async function connect(repository: RepositoryRef, config: Config): Promise<WritableForge> {
    const { github, board } = config
    return gitHub({
      repository,
      clock,
      token: await token(repository, config),
      ...(github.api_url && repository.host === github.host ? { apiUrl: github.api_url } : {}),
      ...(board.owner && board.number ? { board: { owner: board.owner, number: board.number } } : {}),
    })
  }

  async function open(
    { home, repository: name }: { home: string; repository?: string },
    failureCacheMs = 0,
  ): Promise<WritableForge> {
    const config = await parts.config(home)
    const { folder } = config.forge
    const url = name === undefined || folder ? await git.remoteUrl(home) : undefined
    if (folder) {
      if (url === join(folder, 'origin.git')) return folderForge(folder, systemSmallFiles)
      throw new ForgeError('refused', `The remote of ${home} is not in the folder that forge.folder names`, {
        remedy: 'Check both: git remote -v, and baton config',
      })
    }
    const repository = name === undefined ? url && repositoryOf(url) : parseRepositoryName(name)
    if (!repository)
      throw new ForgeError(
        'refused',
        url ? 'The remote is not a repository on a forge' : 'This repository has no remote',
        { remedy: 'Check it: git remote -v' },
      )
    const { github, board } = config
    // The settings are part of the key, so that a failure with old settings is not reported after they were fixed.
    const settings = createHash('sha256')
      .update(JSON.stringify([github, board]))
      .digest('hex')
    const key = `${keyOf(repository)} ${settings}`
    const known = kept.get(key)
    if (known && (known.failedAt === undefined || clock.elapsed() - known.failedAt < failureCacheMs))
      return known.forge
    const entry: { forge: Promise<WritableForge>; failedAt?: number } = { forge: connect(repository, config) }
    kept.set(key, entry)
    entry.forge.catch(() => {
      entry.failedAt = clock.elapsed()
    })
    return entry.forge
  }

  return {
    open: at => open(at),
    openWritable: at => open(at),
    find: project => open({ home: project }, FAILURE_CACHE_MS).catch(() => undefined),
    drop(repository) {
      for (const key of kept.keys()) if (key.startsWith(`${repository.toLowerCase()} `)) kept.delete(key)
    },
    async login(home) {
      const url = await git.remoteUrl(home)
      const repository = url === undefined ? undefined : repositoryOf(url)
      if (!url || !repository || !/^https?:/.test(url)) return undefined
      return { url, token: await token(repository, await parts.config(home)) }
    },
  }
}

const keyOf = ({ host, owner, name }: RepositoryRef): string => `${host}/${owner}/${name}`.toLowerCase()

/** Parses `host/owner/name`, as a claim stores it. */
function parseRepositoryName(repository: string): RepositoryRef | undefined {
  const [host, ...path] = repository.split('/')
  const name = path.pop()
  return host && name && path.length > 0 ? { host, owner: path.join('/'), name } : undefined
}
