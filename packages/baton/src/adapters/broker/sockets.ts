import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import {
  type BrokerCall,
  type BrokerListener,
  type BrokerSockets,
  type InsideOrder,
  SIGN_PROGRAM,
} from '../../ports/broker.ts'
import type { Mount } from '../../ports/sandbox.ts'
import { encodeFrame, encodeJson, type Frame, FrameReader } from './frames.ts'
import { gitShim, INSIDE, outsideShim } from './shims.ts'

export interface BrokerSocketsOptions {
  /** The broker's own folder, in Baton's state folder. */
  folder: string
  node: string
  /** Whether the user has a program: only then is there a shim for it. */
  hasProgram(name: string): boolean
  fault(during: string, cause: unknown): void
}

/** What a program inside says first. */
const Hello = z.object({
  program: z.string().max(20),
  argv: z.array(z.string().max(200_000)).max(1000),
  cwd: z.string().max(4096),
})
const Answer = z.object({ answer: z.unknown() })

/** A repository with 100,000 refs fits. */
const LONGEST = 16 * 1024 * 1024
const MOST_CALLS = 16
const HELLO_MS = 30_000

/** One socket for each session. A sandbox shows only its own. */
export function brokerSockets(options: BrokerSocketsOptions): BrokerSockets {
  const { folder, fault } = options
  const own = (session: string) => join(folder, 'sessions', nameOf(session))
  let preparing: Promise<readonly Mount[]> | undefined

  return {
    async listen(session, answer): Promise<BrokerListener> {
      preparing ??= writeShims(options)
      const common = await preparing
      const shown = join(own(session), 'shown')
      await mkdir(shown, { recursive: true, mode: 0o700 })
      await rm(join(shown, 'socket'), { force: true })
      const calls = new Set<Socket>()
      const server = createServer(socket => {
        if (calls.size >= MOST_CALLS) return void socket.destroy()
        calls.add(socket)
        socket.once('close', () => calls.delete(socket))
        void serve(socket, answer).catch(cause => {
          fault('answering a command in the sandbox', cause)
          socket.destroy()
        })
      })
      await listenIn(server, shown)
      server.unref()
      return {
        mounts: [...common, { kind: 'read-only', path: '/.baton/broker', source: shown }],
        async close() {
          for (const socket of calls) socket.destroy()
          await new Promise(done => server.close(done))
        },
      }
    },
    async remember(session, text) {
      await mkdir(own(session), { recursive: true, mode: 0o700 })
      const path = join(own(session), 'recorded')
      await writeFile(`${path}.new`, text, { mode: 0o600 })
      await rename(`${path}.new`, path)
    },
    remembered: session => readFile(join(own(session), 'recorded'), 'utf8').catch(() => undefined),
    forget: session => rm(own(session), { recursive: true, force: true }),
    async forgetAllExcept(live) {
      const keep = new Set([...live].map(nameOf))
      for (const name of await readdir(join(folder, 'sessions')).catch(() => []))
        if (!keep.has(name)) await rm(join(folder, 'sessions', name), { recursive: true, force: true })
      // Mirrors of calls that a killed daemon did not end.
      await rm(join(folder, 'work'), { recursive: true, force: true })
    },
  }
}

/** From inside the folder: a socket's whole path may be too long for the kernel. */
export async function listenIn(server: Server, folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await new Promise<void>((done, refuse) => {
      server.once('error', refuse)
      server.listen(`/proc/self/fd/${handle.fd}/socket`, done)
    })
  } finally {
    await handle.close()
  }
  await chmod(join(folder, 'socket'), 0o600)
}

async function writeShims({ folder, node, hasProgram }: BrokerSocketsOptions): Promise<readonly Mount[]> {
  const bin = join(folder, 'bin')
  const files = clientFiles()
  const [client] = files
  const shims = {
    git: gitShim(client.name),
    baton: outsideShim('baton', client.name),
    // Git calls it for a signature, if the user wants commits signed.
    [SIGN_PROGRAM]: outsideShim('sign', client.name),
    ...(hasProgram('gh') ? { gh: outsideShim('gh', client.name) } : {}),
  }
  await rm(bin, { recursive: true, force: true })
  await mkdir(bin, { recursive: true, mode: 0o755 })
  for (const [name, text] of Object.entries(shims)) {
    await writeFile(join(bin, name), text)
    await chmod(join(bin, name), 0o755)
  }
  return [
    { kind: 'read-only', path: INSIDE.bin, source: bin },
    { kind: 'read-only', path: INSIDE.node, source: node },
    ...files.map(({ name, path }) => ({
      kind: 'read-only' as const,
      path: `${INSIDE.client}/${name}`,
      source: path,
    })),
  ]
}

/** The program behind the shims: one file when bundled, two when run from source. */
function clientFiles(): [{ name: string; path: string }, ...{ name: string; path: string }[]] {
  const bundled = fileURLToPath(new URL('broker-client.mjs', import.meta.url))
  if (existsSync(bundled)) return [{ name: 'client.mjs', path: bundled }]
  return [
    { name: 'client.ts', path: fileURLToPath(new URL('client.ts', import.meta.url)) },
    { name: 'frames.ts', path: fileURLToPath(new URL('frames.ts', import.meta.url)) },
  ]
}

/** One call, from its first message to its exit code. */
async function serve(socket: Socket, answer: (call: BrokerCall) => Promise<number>): Promise<void> {
  const inbox = new Inbox(socket)
  const timer = setTimeout(() => socket.destroy(), HELLO_MS)
  const first = await inbox.next()
  clearTimeout(timer)
  const hello = Hello.safeParse(first && jsonOf(first))
  if (!hello.success) {
    finish(socket, 2, 'baton: This is not a command that the broker understands.\n')
    return
  }
  const call: BrokerCall = {
    ...hello.data,
    signal: inbox.signal,
    out: chunk => void socket.write(encodeFrame('out', chunk)),
    err: text => void socket.write(encodeFrame('err', Buffer.from(text))),
    async order(order: InsideOrder) {
      socket.write(encodeJson(order))
      const frame = await inbox.next()
      const said = Answer.safeParse(frame && jsonOf(frame))
      if (!said.success) throw new Error('The program in the sandbox did not answer.')
      return said.data.answer
    },
    async send(path) {
      const file = await open(path, 'r')
      try {
        for await (const chunk of file.createReadStream({ highWaterMark: 256 * 1024, autoClose: false }))
          if (!socket.write(encodeFrame('data', chunk))) await drained(socket)
      } finally {
        await file.close()
      }
      socket.write(encodeFrame('end'))
    },
  }
  finish(socket, await answer(call))
}

function finish(socket: Socket, exit: number, text?: string): void {
  if (text) socket.write(encodeFrame('err', Buffer.from(text)))
  socket.write(encodeJson({ exit }))
  // The other side closes after it has read everything; one that does not is cut off.
  socket.setTimeout(HELLO_MS, () => socket.destroy())
}

const drained = (socket: Socket): Promise<void> =>
  new Promise((go, refuse) => {
    if (socket.destroyed) return refuse(new Error('The program in the sandbox is gone.'))
    const close = () => refuse(new Error('The program in the sandbox is gone.'))
    socket.once('close', close)
    socket.once('drain', () => {
      socket.off('close', close)
      go()
    })
  })

function jsonOf({ kind, content }: Frame): unknown {
  if (kind !== 'json') return undefined
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Messages of one connection, one at a time. */
class Inbox {
  readonly #frames: Frame[] = []
  readonly #gone = new AbortController()
  #wake: (() => void) | undefined

  constructor(socket: Socket) {
    const reader = new FrameReader(LONGEST)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#frames.push(...reader.push(chunk))
      } catch {
        socket.destroy()
      }
      // A program that talks without being asked is cut off.
      if (this.#frames.length > 4) socket.destroy()
      this.#wake?.()
    })
    socket.on('close', () => {
      this.#gone.abort()
      this.#wake?.()
    })
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** Undefined: the connection ended. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame || this.#gone.signal.aborted) return frame
      await new Promise<void>(wake => {
        this.#wake = wake
      })
    }
  }
}

/** Session ids come from agents: a folder's name is made from them, not by them. */
const nameOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 16)
