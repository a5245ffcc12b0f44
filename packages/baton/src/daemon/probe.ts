import { request } from 'node:http'
import { shortSocketPath } from '../hook/socket-path.ts'

/** Whether a daemon that takes new calls listens there. One that is draining no longer accepts. */
export function socketAnswers(socket: string): Promise<boolean> {
  return new Promise(resolve => {
    const req = request({ socketPath: shortSocketPath(socket), path: '/api/health', timeout: 1000 })
    req.on('error', () => resolve(false))
    req.on('timeout', () => req.destroy())
    req.on('response', response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    req.end()
  })
}
