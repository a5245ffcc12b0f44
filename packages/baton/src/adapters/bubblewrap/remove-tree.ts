import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder that commands wrote to: they may have left folders without permissions (Go does). Follows no link. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 })
  } catch {
    await openFolders(path)
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 })
  }
}

async function openFolders(path: string): Promise<void> {
  const info = await lstat(path).catch(() => undefined)
  if (!info?.isDirectory()) return
  await chmod(path, 0o700).catch(() => undefined)
  for (const name of await readdir(path).catch(() => [])) await openFolders(join(path, name))
}
