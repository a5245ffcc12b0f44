import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Launches } from '../../../ports/launch.ts'

interface Projects {
  [folder: string]: { hasTrustDialogAccepted?: unknown } | undefined
}

/** Claude Code itself locks its file for a moment in the same way. */
const TRIES = 50
const PAUSE_MS = 100

/**
 * Claude Code asks once for each folder whether the user trusts it, and keeps the answers in `.claude.json`. Without an answer for the other folder, nothing changes and Claude Code asks.
 */
export const inheritTrust: NonNullable<Launches['inheritTrust']> = async (folder, trusted, place) => {
  const path = place.configFolder
    ? join(place.configFolder, '.claude.json')
    : join(place.home, '.claude.json')
  if (!needsTrust(projectsIn(await read(path)), folder, trusted)) return
  const lock = `${path}.lock`
  for (let tries = 0; !(await made(lock)); tries++) {
    if (tries === TRIES) return
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
  try {
    const config = await read(path)
    const projects = projectsIn(config)
    if (!config || !needsTrust(projects, folder, trusted)) return
    const next = {
      ...config,
      projects: { ...projects, [folder]: { ...projects[folder], hasTrustDialogAccepted: true } },
    }
    await writeFile(`${path}.baton`, JSON.stringify(next, null, 2), { mode: 0o600 })
    await rename(`${path}.baton`, path)
  } finally {
    await rmdir(lock).catch(() => {})
  }
}

const needsTrust = (projects: Projects, folder: string, trusted: string): boolean =>
  isTrusted(projects, trusted) && !isTrusted(projects, folder)

const isTrusted = (projects: Projects, folder: string): boolean =>
  Object.hasOwn(projects, folder) && projects[folder]?.hasTrustDialogAccepted === true

async function read(path: string): Promise<Record<string, unknown> | undefined> {
  const config: unknown = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined)
  return typeof config === 'object' && config !== null ? { ...config } : undefined
}

const projectsIn = (config: Record<string, unknown> | undefined): Projects =>
  typeof config?.projects === 'object' && config.projects !== null ? { ...config.projects } : {}

const made = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    () => false,
  )
