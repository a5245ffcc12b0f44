import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FolderPeople, FolderState } from '../../adapters/folder-forge/state.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import type { StateFolder } from '../../config/state-folder.ts'
import { callDaemon } from '../daemon.ts'
import { ISSUE, type TourWorld } from './world.ts'

/**
 * Plays everyone else on the tour's forge: CI passes, and a colleague merges the pull request.
 * Resolves when the issue is closed.
 */
export async function playPeople(
  world: TourWorld,
  state: StateFolder,
  tell: (line: string) => void,
  options: { paceMs: number; signal: AbortSignal },
): Promise<void> {
  const { paceMs, signal } = options
  const looks = { signal } as const
  const opened = await until(() => stateIn(world).pulls[0])
  tell(`CI runs on pull request #${opened.number}.`)
  await write({ checks: { [opened.number]: [{ name: 'test', state: 'pending' }] } })
  await pause(paceMs * 3, undefined, looks)
  await write({ checks: { [opened.number]: [{ name: 'test', state: 'passed' }] } })
  tell('CI passes. A colleague reviews and merges it.')
  await pause(paceMs * 3, undefined, looks)
  await world.git(
    join(world.forge, 'origin.git'),
    'update-ref',
    'refs/heads/main',
    `refs/heads/${opened.branch}`,
  )
  await write({
    checks: { [opened.number]: [{ name: 'test', state: 'passed' }] },
    merged: { [opened.number]: systemClock.now() },
  })
  await until(
    () =>
      stateIn(world).issues.some(({ number, state }) => number === ISSUE.number && state === 'closed') ||
      undefined,
  )

  async function until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      await pause(200, undefined, looks)
    }
  }
  async function write(people: Partial<FolderPeople>): Promise<void> {
    const path = join(world.forge, 'people.json')
    writeFileSync(`${path}.new`, JSON.stringify(FolderPeople.parse(people)))
    renameSync(`${path}.new`, path)
    // As a forge's webhook does; without it Baton would look by itself, after a while.
    const body = { repository: 'you/project', pulls: [opened.number] }
    await callDaemon(state, 'POST', '/api/claims/nudge', 10_000, { body }).catch(() => {})
  }
}

export function stateIn(world: TourWorld): FolderState {
  return FolderState.parse(JSON.parse(readFileSync(join(world.forge, 'forge.json'), 'utf8')))
}
