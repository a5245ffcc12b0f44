import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Holder } from './holder.ts'

/** TCP ports on which something listens in the network of a process. */
export async function listeningPorts(pid: number): Promise<number[]> {
  const texts = await Promise.all(
    ['tcp', 'tcp6'].map(name => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  )
  return [...new Set(texts.flatMap(parseListening))].sort((a, b) => a - b)
}

/** Reads the kernel's table: `sl local_address rem_address st …`, addresses in hexadecimal, state 0A for listening. */
export function parseListening(text: string): number[] {
  return text.split('\n').flatMap(line => {
    const match = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /.exec(line)
    return match ? [Number.parseInt(match[1] ?? '', 16)] : []
  })
}

/** Runs in the sandbox's network, out of sight of its processes: joins each connection it is given with one to a port inside. */
const PROGRAM = `const net = require('node:net')
process.on('disconnect', () => process.exit(0))
process.on('message', ({ port }, socket) => {
  if (!socket) return
  const inside = net.connect({ port, host: 'localhost' })
  const end = () => { socket.destroy(); inside.destroy() }
  socket.on('error', end).on('close', end)
  inside.on('error', end).on('close', end)
  inside.once('connect', () => { socket.pipe(inside); inside.pipe(socket) })
})`

/** Hands connections of this machine to servers in a session's sandbox. */
export class InsideConnector {
  readonly #programs: { nsenter: string; node: string }
  #child: ChildProcess | undefined
  #holder: Holder | undefined

  constructor(programs: { nsenter: string; node: string }) {
    this.#programs = programs
  }

  connect(holder: Holder, port: number, socket: Socket): void {
    // A holder that was started again has another network.
    if (this.#holder?.pid !== holder.pid) this.close()
    this.#holder = holder
    this.#child ??= this.#start(holder)
    this.#child.send({ port }, socket, error => {
      if (error) socket.destroy()
    })
  }

  close(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  #start({ pid }: Holder): ChildProcess {
    const { nsenter, node } = this.#programs
    const enter = ['-t', String(pid), '-U', '-n', '--preserve-credentials', '--']
    const child = spawn(nsenter, [...enter, node, '-e', PROGRAM], {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const gone = () => {
      if (this.#child === child) this.#child = undefined
    }
    child.once('error', gone).once('exit', gone)
    // It must not keep the daemon alive.
    child.unref()
    child.channel?.unref()
    return child
  }
}
