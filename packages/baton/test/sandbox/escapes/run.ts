// Runs every attempt and prints what got through, as JSON. With `--outside` it runs those that work without a sandbox
// without one, in the same scratch folder.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { endOf, type SandboxWorld, sandboxWorld } from '../../world/sandbox.ts'
import { until } from '../../world/wait.ts'
import { attempts, SECRET, type Target } from './attempts.ts'

// One for each machine.
process.setMaxListeners(0)
const isOutside = process.argv.includes('--outside')
const only = process.argv.find(word => word.startsWith('--only='))?.slice(7)
const reached: string[] = []
const results: { name: string; escaped: boolean; why: string }[] = []

const DANGEROUS =
  /\/(hooks\/(?!.*\.sample$)[^/]*|config|config\.worktree|commondir|info\/attributes|\.mcp\.json|\.envrc|\.baton\.yaml|tasks\.json|workspace\.xml|\.git|settings\.json|hooks\.json|config\.toml|\.vscode|\.idea)$/

let world = await sandboxWorld({ before: arrange, isClosed: isOutside })
let target = await makeTarget(world)
const secretEnv = {
  MY_TOKEN: SECRET,
  ANTHROPIC_API_KEY: SECRET,
  CLAUDE_CODE_MESSAGING_TOKEN: SECRET,
  DATABASE_URL: `pg://u:${SECRET}@h/d`,
}
const names = attempts(target).flatMap(({ name, worksOutside }) =>
  (isOutside && !worksOutside) || (only && !name.includes(only)) ? [] : [name],
)
let isSpoiled = false
for (const name of names) {
  if (isOutside && isSpoiled) {
    // Whatever the last one changed: a new machine.
    await world[Symbol.asyncDispose]()
    world = await sandboxWorld({ before: arrange, isClosed: true })
    target = await makeTarget(world)
  }
  const command = attempts(target).find(attempt => attempt.name === name)?.command ?? ''
  reached.length = 0
  const seen = look()
  // A descriptor of a folder that the caller left open.
  const before = `exec 8<${target.outside}`
  const { stdout } = isOutside
    ? await runOutside(`${before}\n${command}`)
    : await world.run(command, { env: secretEnv, before })
  const reports = isOutside ? [] : await world.session.check()
  // Connections are reported in the next turn of the loop.
  await new Promise(resolve => setImmediate(resolve))
  const changed = differences(
    seen,
    look(),
    reports.flatMap(report => (report.movedTo ? [] : [report.path])),
  )
  const said = stdout.includes('ESCAPED')
    ? 'it said so'
    : stdout.includes(SECRET)
      ? 'it read the secret'
      : undefined
  if (hasEnded(target.pid) || (isOutside && command.startsWith('kill') && (await endsSoon(target.pid))))
    reached.push('it ended a process outside')
  const why = said ?? reached[0] ?? changed
  isSpoiled = changed !== undefined || reached.length > 0
  results.push({ name, escaped: why !== undefined, why: why ?? '' })
}
await world[Symbol.asyncDispose]()
console.log(JSON.stringify(results))
process.exit(0)

/** What an attacker would like to have, on the host. */
async function arrange({ inHome, project, state, home, scratch }: SandboxWorld): Promise<void> {
  for (const name of [
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.npmrc',
    '.netrc',
    '.git-credentials',
    '.docker/config.json',
    '.gnupg/key',
    '.kube/config',
    '.config/gh/hosts.yml',
    '.local/share/keyrings/login',
    '.mozilla/profile',
    '.config/google-chrome/Cookies',
    '.claude/.credentials.json',
    '.codex/auth.json',
    '.gemini/oauth.json',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.bash_history',
    'other/notes.txt',
  ])
    inHome(name, `${SECRET}\n`)
  for (const name of [
    '.bashrc',
    '.profile',
    '.gitconfig',
    '.claude/settings.json',
    '.ssh/authorized_keys',
    '.nvm/tool',
    '.local/bin/tool',
    '.npm/_cacache/entry',
  ])
    inHome(name, 'mine\n')
  mkdirSync(join(scratch.path, 'home/outside'), { recursive: true })
  writeFileSync(join(scratch.path, 'home/outside/file'), 'mine\n')
  writeFileSync(join(state, 'token'), `${SECRET}\n`)
  await project.remote()
  project.write('.env', `KEY=${SECRET}\n`)
  await project.commit({ '.mcp.json': '{}', 'src/a.txt': 'a\n', '.gitignore': '.env\n' })
  await project.git('init', '-q', join(home, 'other'))
  await project.git(
    '-C',
    join(home, 'other'),
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@example.com',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'x',
  )
  await project.git('-C', join(home, 'other'), 'add', 'notes.txt')
  await project.git(
    '-C',
    join(home, 'other'),
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@example.com',
    'commit',
    '-q',
    '-m',
    'x',
  )
  await project.git('init', '-q', 'nested')
  await project.git('init', '-q', '--bare', 'bare.git')
  await project.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    'add',
    '-q',
    '--name',
    'part',
    join(home, 'other'),
    'part',
  )
}

async function makeTarget({ home, project, state, scratch }: SandboxWorld): Promise<Target> {
  const canary = spawn(
    'sh',
    ['-c', 'while :; do sleep 1000; done', 'canary-process', `${SECRET}-on-a-line`],
    { stdio: 'ignore', detached: true },
  )
  process.on('exit', () => canary.pid && process.kill(-canary.pid, 'SIGKILL'))
  const sockets = {
    docker: join(home, 'docker.sock'),
    'ssh-agent': join(home, 'agent.sock'),
    'd-bus': join(home, 'bus'),
    tmux: join(home, 'tmux'),
    baton: join(state, 'baton.sock'),
  }
  for (const path of Object.values(sockets)) await listen(path)
  const abstract = `baton-canary-${process.pid}-${sockets.baton.length}${home.slice(-12, -8)}`
  await listen(`\0${abstract}`)
  const server = await listen(undefined)
  const { port } = server.address() as { port: number }
  return {
    home,
    project: project.path,
    state,
    outside: join(scratch.path, 'home/outside'),
    pid: canary.pid ?? 0,
    port,
    sockets,
    abstract,
  }
}

/** A busy machine takes a moment to end a process. Inside, the next attempt would notice it. */
async function endsSoon(pid: number): Promise<boolean> {
  return await until(() => hasEnded(pid), { what: 'the process to end', timeout: 5_000 }).catch(() => false)
}

/** Whether the process is gone, or dead and not yet collected. */
function hasEnded(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1) ?? '')
  } catch {
    return true
  }
}

function listen(path: string | undefined): Promise<Server> {
  return new Promise(resolve => {
    const server = createServer(socket => {
      reached.push('it reached a socket outside')
      socket.on('error', () => undefined)
      socket.end(`${SECRET}\n`)
    })
    server.unref()
    server.listen(path ? { path } : { port: 0, host: '0.0.0.0' }, () => resolve(server))
  })
}

async function runOutside(command: string) {
  const { PATH = '' } = process.env
  const child = spawn('/bin/bash', ['-c', command], {
    cwd: world.project.path,
    env: { PATH, HOME: world.home, LANG: 'C.UTF-8', ...secretEnv },
    detached: true,
  })
  child.stdin.end()
  return endOf(child)
}

/** Everything outside the project, and in it everything that later runs outside. */
function look(): Map<string, string> {
  const seen = new Map<string, string>()
  const skip = new Set([join(world.state, 'sandbox')])
  const walk = (folder: string, isProject: boolean) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (skip.has(path)) continue
      if (path === world.project.path && entry.isDirectory()) walk(path, true)
      else if (entry.isDirectory() && !(isProject && ['objects', 'logs', 'refs', 'src'].includes(entry.name)))
        walk(path, isProject)
      else if (!isProject || isDangerous(path))
        seen.set(
          path,
          entry.isFile() ? readFileSync(path, 'latin1') : entry.isSymbolicLink() ? 'link' : 'other',
        )
    }
  }
  walk(join(world.scratch.path, 'home'), false)
  return seen
}

function isDangerous(path: string): boolean {
  if (path.includes('/plain/') || path.includes('/.git/worktrees/') || !DANGEROUS.test(path)) return false
  // New repositories may stay, as long as their configuration starts no program.
  return (
    !path.endsWith('/config') ||
    path === join(world.project.path, '.git/config') ||
    /evil|hooksPath/.test(readFileSync(path, 'latin1'))
  )
}

function differences(
  a: Map<string, string>,
  b: Map<string, string>,
  notMoved: readonly string[],
): string | undefined {
  if (notMoved.length > 0) return `it left ${notMoved[0]}`
  for (const [path, text] of b) if (a.get(path) !== text) return `it changed ${path}`
  for (const path of a.keys()) if (!b.has(path)) return `it removed ${path}`
  return undefined
}
