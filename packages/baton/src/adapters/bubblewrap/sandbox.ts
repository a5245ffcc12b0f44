import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ids } from '../../ports/ids.ts'
import {
  type HiddenVariables,
  SANDBOX_SHELLS,
  type Sandbox,
  type SandboxStatus,
} from '../../ports/sandbox.ts'
import { boxText, commentFor, preparedId, wrappedCommand } from './box.ts'
import { beat, endHolder, findHolder, type HolderLimits, startHolder } from './holder.ts'
import { type HostView, probeSandbox } from './probe.ts'
import { hasRelease, recordDialog, takeRelease } from './releases.ts'
import { removeTree } from './remove-tree.ts'
import { seccompFilter } from './seccomp.ts'
import { BubblewrapSession, type SessionParts } from './session.ts'

export interface BubblewrapOptions {
  /** The sandbox's own folder, in Baton's state folder. */
  folder: string
  /** Finds a program on the daemon's PATH. */
  findProgram: (name: string) => string | undefined
  ids: Ids
  hidden: HiddenVariables
  host: HostView
  limits?: HolderLimits
}

const LIMITS: HolderLimits = { seconds: 60, looks: 30 }

/** Sandboxes made with bubblewrap (`bwrap`), one for each session. */
export function bubblewrapSandbox(options: BubblewrapOptions): Sandbox {
  const { folder, host, ids } = options
  const limits = options.limits ?? LIMITS
  const open = new Map<string, Promise<BubblewrapSession>>()
  let status: SandboxStatus | undefined

  const folderOf = (session: string) => join(folder, 'sessions', nameOf(session))

  const prepareFolder = async (): Promise<SessionParts> => {
    const programs = {
      bwrap: options.findProgram('bwrap') ?? 'bwrap',
      nsenter: options.findProgram('nsenter') ?? 'nsenter',
    }
    const files = { emptyFile: join(folder, 'empty-file'), emptyFolder: join(folder, 'empty-folder') }
    const requests = join(folder, 'requests')
    const shells = findShells(options.findProgram)
    for (const path of [folder, requests, join(folder, 'sessions'), join(folder, 'aside')])
      await mkdir(path, { recursive: true, mode: 0o700 })
    await mkdir(files.emptyFolder, { recursive: true, mode: 0o755 })
    await writeFile(files.emptyFile, '', { mode: 0o644 })
    const filter = seccompFilter(host.architecture, host.uid)
    const filterFile = filter && join(folder, 'system-calls')
    if (filter && filterFile) await replaceFile(filterFile, filter, 0o600)
    const box = join(folder, 'box')
    const text = boxText({ requests, ...programs, bash: shells.bash, hidden: options.hidden })
    await replaceFile(box, Buffer.from(text), 0o700)
    return {
      ...programs,
      mount: options.findProgram('mount'),
      files,
      requests,
      filterFile,
      box,
      ids,
      host,
      shells,
    }
  }

  /** Never in place: a box of another session that starts now would read an empty file, do nothing and report success. */
  const replaceFile = async (path: string, content: Uint8Array, mode: number): Promise<void> => {
    const known = await readFile(path).catch(() => undefined)
    if (known?.equals(content)) return chmod(path, mode)
    const draft = `${path}.${ids.id(12)}`
    await writeFile(draft, content, { mode })
    await rename(draft, path)
  }

  const start = async (session: string, shared: boolean): Promise<BubblewrapSession> => {
    const parts = await prepareFolder()
    const own = folderOf(session)
    await mkdir(own, { recursive: true, mode: 0o700 })
    const holder = shared
      ? ((await findHolder(own)) ?? (await startHolder(programs(parts), own, limits)))
      : undefined
    const timer = setInterval(() => void beat(own).catch(() => undefined), limits.seconds * 500)
    timer.unref()
    const made = new BubblewrapSession({
      parts,
      folder: own,
      aside: join(folder, 'aside', nameOf(session)),
      prefix: nameOf(session),
      holder,
      restart: async () => startHolder(programs(parts), own, limits),
      onEnd: () => {
        clearInterval(timer)
        open.delete(session)
      },
    })
    await writeFile(join(own, 'session'), session)
    await made.makeFolders()
    return made
  }

  const openSession = (session: string, shared: boolean): Promise<BubblewrapSession> => {
    const found = open.get(session) ?? start(session, shared)
    open.set(session, found)
    found.catch(() => open.delete(session))
    return found
  }

  const endNamed = async (name: string): Promise<string> => {
    const own = join(folder, 'sessions', name)
    const opened = [...open.keys()].find(session => nameOf(session) === name)
    const session = await readFile(join(own, 'session'), 'utf8').catch(() => name)
    const holder = await findHolder(own)
    if (opened) await (await openSession(opened, false)).end()
    else if (holder) await endHolder(holder)
    for (const request of await readdir(join(folder, 'requests')).catch(() => []))
      if (request.startsWith(name)) await removeTree(join(folder, 'requests', request))
    await removeTree(own)
    return session
  }

  return {
    async probe() {
      status = await probeSandbox({ ...options, open: (name, shared) => openSession(name, shared) })
      return status
    },
    async open(session) {
      status ??= await this.probe()
      if (!status.available) throw new Error(status.reason)
      return openSession(session, status.capabilities.sharedLoopback)
    },
    async findPrepared(session, text) {
      const box = join(folder, 'box')
      const id = preparedId(box, text)
      if (id === undefined || !id.startsWith(nameOf(session))) return undefined
      const request = join(folder, 'requests', id)
      const [how, command] = await Promise.all(
        ['how', 'command'].map(name => readFile(join(request, name), 'utf8').catch(() => undefined)),
      )
      if (how === undefined || command === undefined) return undefined
      const comment = hasRelease(request) ? commentFor(command) : ''
      const isSame = SANDBOX_SHELLS.some(shell =>
        [false, true].some(
          freshShell => `${comment}${wrappedCommand(box, request, id, shell, freshShell)}` === text,
        ),
      )
      const isTaken = existsSync(join(request, 'taken'))
      return isSame ? { id, text: command, isTaken } : undefined
    },
    async dialogOpened(session, id) {
      if (!/^[0-9a-z]+$/.test(id) || !id.startsWith(nameOf(session))) return false
      return recordDialog(join(folder, 'requests', id))
    },
    takeRelease: (session, isSame, nowMs, byRule) =>
      takeRelease(join(folder, 'requests'), nameOf(session), isSame, nowMs, byRule),
    async end(session) {
      if (existsSync(folderOf(session))) await endNamed(nameOf(session))
    },
    async endAllExcept(live) {
      const ended: string[] = []
      const keep = new Set([...live].map(nameOf))
      for (const name of await readdir(join(folder, 'sessions')).catch(() => [])) {
        if (keep.has(name)) continue
        ended.push(await endNamed(name))
      }
      // An empty folder says nothing.
      for (const name of await readdir(join(folder, 'aside')).catch(() => []))
        if ((await readdir(join(folder, 'aside', name)).catch(() => ['?'])).length === 0)
          await rm(join(folder, 'aside', name), { recursive: true, force: true })
      return ended
    },
  }
}

const programs = ({ bwrap, shells }: SessionParts) => ({ bwrap, bash: shells.bash })

/** Session ids come from agents: a folder's name is made from them, not by them. */
const nameOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 16)

function findShells(find: (name: string) => string | undefined): SessionParts['shells'] {
  return { bash: find('bash') ?? '/bin/bash', zsh: find('zsh') ?? '/bin/zsh', sh: '/bin/sh' }
}
