import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
/** npm's token, wherever it appears. */
const TOKEN = /:_authToken\s*=\s*[^\s$]/

/** All checks besides the tests. Each returns what is wrong, or nothing. */
const CHECKS: Record<string, () => Promise<string>> = {
  'format and lint': () => program('biome', 'check', '--colors=off', '.'),
  types: () => program('tsc', '-p', '.'),
  'types of the dashboard': () => program('tsc', '-p', 'apps/dashboard'),
  'unused code': () => program('knip', '--no-progress', '--treat-config-hints-as-errors'),
  'generated files': async () => {
    const scripts = [
      'generate-config',
      'generate-plugin',
      'generate-cli',
      'generate-agents',
      'generate-vscode',
      'generate-troubleshooting',
    ]
    return (await Promise.all(scripts.map(name => node(`scripts/${name}.ts`, '--check')))).join('')
  },
  'no addresses in the lock file': async () => addressesInLock(),
  'nothing of this machine': ofThisMachine,
  package: async () => {
    const pkgDir = join(root, 'packages', 'baton')
    const pkg = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'))
    const { messages } = await publint({ pkgDir, pack: false, strict: true })
    return messages.map(message => `${formatMessage(message, pkg, { color: false })}\n`).join('')
  },
}

const results = await Promise.all(
  Object.entries(CHECKS).map(async ([name, check]) => {
    const began = performance.now()
    const wrong = (await check().catch(String)).trim()
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${wrong ? 'FAILED' : 'ok    '} ${name.padEnd(30)} ${seconds.padStart(5)} s`)
    return { name, wrong }
  }),
)
for (const { name, wrong } of results) if (wrong) console.log(`\n── ${name}\n${wrong}`)
if (results.some(({ wrong }) => wrong)) process.exitCode = 1

function program(name: string, ...args: string[]): Promise<string> {
  return output(join(root, 'node_modules', '.bin', name), args)
}

function node(...args: string[]): Promise<string> {
  return output(process.execPath, args)
}

/** Nothing if the program succeeds, else all of its output. */
async function output(file: string, args: readonly string[]): Promise<string> {
  try {
    await run(file, args, { cwd: root, maxBuffer: 1 << 26 })
    return ''
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    return `${stdout}${stderr}`.trim() || String(cause)
  }
}

/** A lock file with addresses would install from the registry of the machine that wrote it. */
function addressesInLock(): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>
  }
  return Object.entries(lock.packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !link)
    .map(([name]) => `${name} contains a download address\n`)
    .join('')
}

/** No tracked file may contain the folder, host or package registry of its author's machine. */
async function ofThisMachine(): Promise<string> {
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry'], { cwd: root })
  const registryHost = URL.canParse(registry.trim()) ? new URL(registry.trim()).host : ''
  const words = [
    // A clone at the top of the file system has a name that is too common to search for.
    ...(root.split('/').length > 2 ? [`${root}/`] : []),
    ...(registryHost && registryHost !== 'registry.npmjs.org' ? [registryHost] : []),
    ...(hostname().length > 8 && /[0-9]/.test(hostname()) ? [hostname()] : []),
  ]
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 1 << 26 })
  const found = stdout
    .split('\0')
    .filter(Boolean)
    .flatMap(path => {
      const text = readTracked(path)
      const line = text
        .split('\n')
        .findIndex(row => words.some(word => row.includes(word)) || TOKEN.test(row))
      return line < 0 ? [] : [`${path}:${line + 1} contains a path or host of this machine\n`]
    })
  return found.join('')
}

function readTracked(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    // Deleted in the working tree, or a link: nothing to read.
    return ''
  }
}
