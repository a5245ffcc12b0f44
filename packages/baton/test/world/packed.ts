import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PACKAGE = join(import.meta.dirname, '../..')

export interface PackedBaton {
  /** The tarball, as `npm publish` would send it. */
  file: string
  bytes: number
  files: readonly string[]
}

export async function packBaton(folder: string): Promise<PackedBaton> {
  mkdirSync(folder, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE })
  const [pack] = JSON.parse(stdout) as { filename: string; size: number; files: { path: string }[] }[]
  if (!pack) throw new Error('npm pack made nothing')
  return { file: join(folder, pack.filename), bytes: pack.size, files: pack.files.map(({ path }) => path) }
}

/** A stranger's npm has a registry and its own cache; ours are used, so that nothing is fetched twice. */
export async function npmSettings(): Promise<Record<string, string>> {
  const { stdout } = await run('npm', ['config', 'list', '--json'], { cwd: '/' })
  const config = JSON.parse(stdout) as Record<string, unknown>
  const kept = ['registry', 'cache', 'proxy', 'https-proxy', 'cafile', 'noproxy']
  const own = kept.flatMap(key =>
    typeof config[key] === 'string' && config[key] !== ''
      ? [[`npm_config_${key.replace('-', '_')}`, config[key]]]
      : [],
  )
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    ...(certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {}),
  }
}
