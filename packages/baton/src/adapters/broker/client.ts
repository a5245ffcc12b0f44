/**
 * The program behind the shims, in the sandbox. It does what the daemon orders, with the rights of the sandbox and no others,
 * so it needs no protection from the commands around it. It imports nothing but its neighbour: the sandbox shows only these files.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, fstatSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { encodeJson, Inbox } from './frames.ts'

const SOCKET = '/.baton/broker/socket'
const SHIMS = '/.baton/bin'
const LONGEST_FILE = 1024 * 1024

interface Order {
  do: string
  args?: string[]
  remote?: string
  url?: string
  updates?: {
    ref?: string
    id?: string
    source?: string
    sourceId?: string
    target?: string
    targetId?: string
  }[]
  packs?: number
  fetchHead?: string
  path?: string
  text?: string
  exit?: number
}

const [program = '', ...argv] = process.argv.slice(2)
const isGit = program === 'git' || program === 'branching'
const { folder, words } = isGit ? withoutPlace(argv) : { folder: process.cwd(), words: argv }

/** Takes `-C FOLDER` and options about the pager off the front; the daemon judges all other options. */
function withoutPlace(all: readonly string[]): { folder: string; words: string[] } {
  let at = 0
  let place = process.cwd()
  for (; at < all.length; at++) {
    const word = all[at] ?? ''
    if (word === '-C') place = resolve(place, all[++at] ?? '.')
    else if (!/^(--no-pager|-p|--paginate|-P)$/.test(word)) break
  }
  return { folder: place, words: all.slice(at) }
}

function realProgram(name: string): string | undefined {
  const isThere = (path: string) => {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  }
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(each => each !== '' && each !== SHIMS)
    .map(each => join(each, name))
    .find(isThere)
}

const ended = (child: ChildProcess): Promise<number> =>
  new Promise(done => {
    child.once('error', () => done(127))
    child.once('close', (code, signal) => done(code ?? (signal ? 130 : 1)))
  })

/** Runs the real git with its output visible. */
async function runGit(args: readonly string[], cwd = folder): Promise<number> {
  const git = realProgram('git')
  if (!git) return fail('git: command not found', 127)
  return ended(spawn(git, args, { cwd, stdio: 'inherit' }))
}

/** What git prints; undefined if it fails. */
async function gitText(args: readonly string[], input?: string): Promise<string | undefined> {
  const git = realProgram('git')
  if (!git) return undefined
  const child = spawn(git, args, {
    cwd: folder,
    stdio: ['pipe', 'pipe', input === undefined ? 'ignore' : 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  return (await ended(child)) === 0 ? Buffer.concat(chunks).toString('utf8') : undefined
}

function fail(text: string, code = 1): number {
  process.stderr.write(`baton: ${text}\n`)
  return code
}

async function describe(): Promise<unknown> {
  const line = async (...args: string[]) => (await gitText(args))?.replace(/\n$/, '')
  const top = await line('rev-parse', '--show-toplevel')
  const head = await line('symbolic-ref', '-q', 'HEAD')
  const headId = await line('rev-parse', '-q', '--verify', 'HEAD')
  const refs = ['refs/heads', 'refs/tags', 'refs/remotes']
  const listed =
    (await gitText(['for-each-ref', '--format=%(objectname) %(refname) %(symref)', ...refs])) ?? ''
  const shallow = await line('rev-parse', '--git-path', 'shallow')
  const settings =
    (await gitText(['config', '-z', '--get-regexp', '^(branch|push|remote|pull|fetch)\\.'])) ?? ''
  return {
    top,
    head,
    headId,
    refs: listed.split('\n').flatMap(each => {
      const [id, ref, target] = each.split(' ')
      return id && ref && !target ? [{ ref, id }] : []
    }),
    shallow: shallow === undefined ? [] : readLines(resolve(folder, shallow)),
    settings: settings.split('\0').flatMap(each => {
      const at = each.indexOf('\n')
      return at > 0 ? [[each.slice(0, at), each.slice(at + 1)]] : []
    }),
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

async function prePush({ remote = '', url = '', updates = [] }: Order): Promise<number> {
  const hook = (await gitText(['rev-parse', '--git-path', 'hooks/pre-push']))?.trimEnd()
  const top = (await gitText(['rev-parse', '--show-toplevel']))?.trimEnd()
  const path = hook && resolve(folder, hook)
  try {
    accessSync(path ?? '', constants.X_OK)
  } catch {
    return 0
  }
  const child = spawn(path ?? '', [remote, url], { cwd: top, stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.on('error', () => undefined)
  child.stdin.end(
    updates.map(each => `${[each.source, each.sourceId, each.target, each.targetId].join(' ')}\n`).join(''),
  )
  return ended(child)
}

/** Objects first, then refs, then FETCH_HEAD, as git does it. */
async function take({ packs = 0, updates = [], fetchHead }: Order, reader: Inbox): Promise<number> {
  for (let pack = 0; pack < packs; pack++) {
    const git = realProgram('git')
    if (!git) return fail('git: command not found', 127)
    const child = spawn(git, ['index-pack', '--stdin', '--fix-thin'], {
      cwd: folder,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    child.stdin.on('error', () => undefined)
    const ending = ended(child)
    for (let frame = await reader.next(); frame.kind === 'data'; frame = await reader.next())
      if (!child.stdin.write(frame.content)) await new Promise(go => child.stdin.once('drain', go))
    child.stdin.end()
    if ((await ending) !== 0) return fail('The objects of the remote could not be stored.')
  }
  const lines = updates.map(({ ref = '', id }) => (id ? `update ${ref} ${id}\n` : `delete ${ref}\n`))
  if (lines.length > 0 && (await gitText(['update-ref', '--stdin'], lines.join(''))) === undefined)
    return fail('The refs of the remote could not be updated.')
  const path = (await gitText(['rev-parse', '--git-path', 'FETCH_HEAD']))?.trimEnd()
  if (fetchHead !== undefined && path !== undefined) writeFileSync(resolve(folder, path), fetchHead)
  return 0
}

/** A short text file, or standard input. */
function readText(path: string): { text: string } | { error: string } {
  try {
    const descriptor =
      path === '-' ? 0 : openSync(resolve(folder, path), constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = fstatSync(descriptor)
    if (path !== '-' && !facts.isFile()) return { error: `${path} is not a file` }
    if (facts.size > LONGEST_FILE) return { error: `${path} is too large` }
    const text = readFileSync(descriptor)
    return text.length > LONGEST_FILE ? { error: `${path} is too large` } : { text: text.toString('utf8') }
  } catch (cause) {
    return { error: `${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'error'})` }
  }
}

async function runShell(text: string): Promise<number> {
  const top = (await gitText(['rev-parse', '--show-toplevel']))?.trimEnd()
  return ended(
    spawn('/bin/sh', ['-c', text], { cwd: top || folder, stdio: ['ignore', 'inherit', 'inherit'] }),
  )
}

async function follow(order: Order, reader: Inbox): Promise<unknown> {
  switch (order.do) {
    case 'own':
      return runGit(argv, process.cwd())
    case 'git':
      return runGit(order.args ?? [])
    case 'describe':
      return describe()
    case 'pre-push':
      return prePush(order)
    case 'take':
      return take(order, reader)
    case 'read':
      return readText(order.path ?? '')
    case 'shell':
      return runShell(order.text ?? '')
    default:
      return { error: 'unknown order' }
  }
}

async function talk(socket: Socket, name: string, said: readonly string[]): Promise<number> {
  const reader = new Inbox(socket)
  socket.write(encodeJson({ program: name, argv: said, cwd: folder }))
  for (;;) {
    const { kind, content } = await reader.next()
    if (kind === 'out') process.stdout.write(content)
    else if (kind === 'err') process.stderr.write(content)
    else if (kind === 'end') return fail('The daemon ended before it was done. Run the command again.')
    else if (kind === 'json') {
      const order: Order = JSON.parse(content.toString('utf8'))
      if (order.exit !== undefined) return order.exit
      socket.write(encodeJson({ answer: (await follow(order, reader)) ?? null }))
    }
  }
}

/**
 * Runs switch, checkout or branch without git's own record of what a new branch follows, for which it would have to write its
 * configuration. Resolves with the exit code, and with the words by which the daemon makes the record.
 */
async function runBranching(): Promise<{ code: number; upstream?: readonly string[] }> {
  const [command = '', ...rest] = words
  const named = rest.filter(word => !word.startsWith('-'))
  if (command === 'branch' && /^(-u|--set-upstream-to(=|$))/.test(rest[0] ?? '')) {
    const [target = '', branch] = rest[0]?.includes('=') ? [rest[0].slice(18), ...named] : named
    const current = (await gitText(['symbolic-ref', '--short', '-q', 'HEAD']))?.trimEnd()
    const follows = await remoteBranch(target)
    if (follows) return { code: 0, upstream: [`--set-upstream-to=${follows}`, branch ?? current ?? ''] }
  }
  if (command === 'branch' && rest.some(word => MOVES.test(word))) return moveBranch(rest, named)
  const isPlain = rest.some(word => /^(--no-track|--track=inherit|--)$/.test(word))
  if (isPlain || (command === 'branch' && named.length < 2))
    return { code: await runGit(argv, process.cwd()) }
  const before = await localBranches()
  const follows = (await Promise.all(named.map(remoteBranch))).find(each => each !== undefined)
  const isExplicit = rest.some(word => /^(-t|--track(=direct)?)$/.test(word))
  const creates = rest.some(word => /^(-[cCbB]|--create|--force-create)/.test(word)) || command === 'branch'
  const made = follows?.slice(follows.indexOf('/') + 1)
  const args = [
    ...(isExplicit && !creates && made ? [command, command === 'switch' ? '-c' : '-b', made] : [command]),
    ...rest.filter(word => !/^(-t|--track(=direct)?)$/.test(word)),
  ]
  const code = await runGit(['-c', 'branch.autoSetupMerge=false', ...args])
  const fresh = [...(await localBranches())].filter(name => !before.has(name))
  const [branch] = fresh
  if (code !== 0 || fresh.length !== 1 || branch === undefined) return { code }
  const target = follows ?? (named.includes(branch) ? await onlyRemoteBranch(branch) : undefined)
  return target ? { code, upstream: [`--set-upstream-to=${target}`, branch] } : { code }
}

const MOVES = /^(-[mMcC]|--move|--copy)$/

/** git renames or copies the branch, and then fails because it cannot change its configuration: the daemon does that part. */
async function moveBranch(
  rest: readonly string[],
  named: readonly string[],
): Promise<{ code: number; upstream?: readonly string[] }> {
  const git = realProgram('git')
  if (!git) return { code: fail('git: command not found', 127) }
  const current = (await gitText(['symbolic-ref', '--short', '-q', 'HEAD']))?.trimEnd()
  const [from = '', to = ''] = named.length === 1 ? [current, named[0]] : named
  const before = await localBranches()
  const follows = await remoteBranch(`${from}@{upstream}`)
  const child = spawn(git, argv, { stdio: ['inherit', 'inherit', 'pipe'] })
  const said: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const code = await ended(child)
  const after = await localBranches()
  const isCopy = rest.some(word => /^(-[cC]|--copy)$/.test(word))
  // `git branch -M main` on main: there was nothing to rename.
  const isSame = !isCopy && from === to && before.has(from)
  const isMade = isCopy ? !before.has(to) : before.has(from) && !after.has(from)
  const isDone = code === 128 && after.has(to) && (isSame || isMade)
  if (!isDone) process.stderr.write(Buffer.concat(said))
  if (!isDone) return { code }
  return follows && !isSame ? { code: 0, upstream: [`--set-upstream-to=${follows}`, to] } : { code: 0 }
}

const localBranches = async (): Promise<Set<string>> =>
  new Set(((await gitText(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads'])) ?? '').split('\n'))

/** `origin/main` if a word names that branch of a remote. */
async function remoteBranch(word: string): Promise<string | undefined> {
  const full = (await gitText(['rev-parse', '--symbolic-full-name', '--verify', '-q', word]))?.trimEnd()
  return /^refs\/remotes\/([^/]+\/.+)$/.exec(full ?? '')?.[1]
}

/** The branch of that name, if just one remote has it: git then starts a new branch there. */
async function onlyRemoteBranch(name: string): Promise<string | undefined> {
  const found = await gitText(['for-each-ref', '--format=%(refname:lstrip=2)', `refs/remotes/*/${name}`])
  const [only, second] = found?.split('\n').filter(Boolean) ?? []
  return second === undefined ? only : undefined
}

if (program === 'branching') {
  const { code, upstream } = await runBranching()
  if (upstream) connectDaemon('upstream', upstream, code)
  else process.exitCode = code
} else connectDaemon(program, words)

/** Has the daemon do its part. `otherwise`: the exit code if it does not answer, or of work that is done already. */
function connectDaemon(name: string, said: readonly string[], otherwise?: number): void {
  const socket = connect(SOCKET)
  socket.once('connect', () => {
    socket.on('error', () => undefined)
    void talk(socket, name, said).then(
      code => {
        process.exitCode = otherwise ?? code
        socket.destroy()
      },
      cause => {
        process.exitCode = fail(cause instanceof Error ? cause.message : String(cause))
        socket.destroy()
      },
    )
  })
  socket.once('error', () => {
    if (socket.readyState === 'open') return
    // A remote that is a folder inside works without the daemon.
    if (program === 'git') void runGit(argv, process.cwd()).then(code => (process.exitCode = code))
    else
      process.exitCode =
        otherwise ?? fail(`${program} needs Baton's daemon, which does not answer. Try again.`)
  })
}
