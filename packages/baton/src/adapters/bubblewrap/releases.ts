import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ReleasedAction, type ReleasedBy } from '@batonpass/contract/permission'
import { z } from 'zod'
import type { Release } from '../../ports/sandbox.ts'

const Stored = z.object({ actions: z.array(ReleasedAction), isGranted: z.boolean(), untilMs: z.number() })

/** Keeps with a request what of its command may leave the sandbox. */
export async function writeRelease(request: string, release: Release): Promise<void> {
  await writeFile(join(request, 'release'), JSON.stringify(release), { mode: 0o600 })
}

export const hasRelease = (request: string): boolean => existsSync(join(request, 'release'))

/** Records that a person is asked. Without the dialog, a command that runs does not show a yes. */
export async function recordDialog(request: string): Promise<boolean> {
  const release = await readRelease(request)
  if (!release || release.isGranted) return false
  await writeFile(join(request, 'dialog'), '', { mode: 0o600 })
  return true
}

/**
 * Uses up one action of a request that runs, and says whose yes it was: a rule allows it, or a person saw it in the dialog and the
 * box started, which only a yes lets it do. Creating the file of a used action fails if it exists, so of several callers one gets it.
 */
export async function takeRelease(
  requests: string,
  prefix: string,
  isSame: (action: ReleasedAction) => boolean,
  nowMs: number,
  byRule: boolean,
): Promise<ReleasedBy | undefined> {
  const found: { by: ReleasedBy; use: string }[] = []
  for (const name of await readdir(requests).catch(() => [])) {
    const request = join(requests, name)
    const has = (file: string) => existsSync(join(request, file))
    if (!name.startsWith(prefix) || !has('taken')) continue
    const release = await readRelease(request)
    if (!release || release.untilMs < nowMs) continue
    const isSeen = has('dialog')
    for (const [index, action] of release.actions.entries()) {
      if (!isSame(action)) continue
      const use = join(request, `used-${index}`)
      if (isSeen || (release.isGranted && !action.byRule)) found.push({ by: 'person', use })
      else if (action.byRule && byRule) found.push({ by: 'rule', use })
    }
  }
  // A rule's yes is not used up where a person gave one.
  for (const { by, use } of found.sort((a, b) => a.by.localeCompare(b.by))) {
    const isFirst = await writeFile(use, '', { flag: 'wx', mode: 0o600 }).then(
      () => true,
      () => false,
    )
    if (isFirst) return by
  }
  return undefined
}

async function readRelease(request: string): Promise<Release | undefined> {
  try {
    return Stored.parse(JSON.parse(await readFile(join(request, 'release'), 'utf8')))
  } catch {
    return undefined
  }
}
