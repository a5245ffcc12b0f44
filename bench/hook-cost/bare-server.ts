import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { DAEMON_FLAGS } from '../../packages/baton/src/hook/spawn.ts'

/** The cost of any Node program behind HTTP: a server that reads the body and returns an empty answer. */
export async function startBareServer() {
  const child = fork(import.meta.filename, ['serve'], { execArgv: [...DAEMON_FLAGS], stdio: 'inherit' })
  const port = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
  })
  return {
    pid: child.pid ?? 0,
    async ask(body: string) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })
      await response.text()
    },
    stop: () => child.kill(),
  }
}

if (process.argv[2] === 'serve') {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('{}\n'))
  }).listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.send?.(typeof address === 'object' ? address?.port : undefined)
  })
  process.once('disconnect', () => process.exit())
}
