import { spawn } from 'node:child_process'
import { Server } from 'node:net'
import type { Holder } from './holder.ts'

/** Runs in the sandbox's network for a moment, hands its listening socket over and exits. Nothing stays inside. */
const PROGRAM = `const server = require('node:net').createServer(socket => socket.destroy())
let port = Number(process.argv[1])
const listen = () => server.listen({ host: '127.0.0.1', port })
server.on('error', error => {
  if (error.code !== 'EADDRINUSE' || port === 0 || process.argv[2] === 'exact') throw error
  port = 0
  listen()
})
server.on('listening', () => process.send({ port: server.address().port }, server))
process.on('message', () => process.exit(0))
listen()`

const START_MS = 20_000
const MAX_SAID = 1000

/** Listens on the loopback of a session's sandbox, in this process. With `exact`, only on this port. */
export async function listenIn(
  { nsenter, node }: { nsenter: string; node: string },
  holder: Holder,
  { port, exact }: { port: number; exact: boolean },
  accept: (connection: NodeJS.ReadWriteStream) => void,
): Promise<{ port: number; server: Server }> {
  const enter = ['-t', String(holder.pid), '-U', '-n', '--preserve-credentials', '--']
  const args = [...enter, node, '-e', PROGRAM, String(port), exact ? 'exact' : 'any']
  const child = spawn(nsenter, args, { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said = `${said}${text}`.slice(0, MAX_SAID)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  try {
    return await new Promise((done, fail) => {
      child.once('error', fail)
      // Not `exit`: its last words may still be on their way.
      child.once('close', code => {
        const why = said.replaceAll(/\s+/g, ' ').trim() || `it ended with ${code}`
        fail(new Error(`Port ${port} of the sandbox cannot be listened on: ${why}`))
      })
      child.once('message', (message, handle) => {
        child.removeAllListeners('close')
        if (!(handle instanceof Server)) return fail(new Error('The sandbox handed over no socket.'))
        handle.on('connection', accept)
        handle.unref()
        child.send('done', () => undefined)
        done({ port: Number(Reflect.get(Object(message), 'port')), server: handle })
      })
    })
  } finally {
    clearTimeout(timer)
  }
}
