import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { listenIn } from '../adapters/broker/sockets.ts'
import type { Intake } from '../engine/intake.ts'
import type { ListenForHooks } from '../ports/contained-caller.ts'
import { answerHook, type HookCall } from './hook-route.ts'
import { interceptHooks } from './hook-socket.ts'

/** Processes inside may open connections and leave them open. */
const MOST_CONNECTIONS = 64

/**
 * The socket that an agent in the sandbox has for its hooks. It takes hook calls and nothing else: no route of the API is
 * behind it, so nothing inside can answer an ask or change a setting.
 */
export function containedHooks(
  intake: Pick<Intake, 'handleHookCall'>,
  track: (call: HookCall) => void,
): ListenForHooks {
  return async (folder, callerOf) => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { connection: 'close' })
      response.end()
    })
    server.maxConnections = MOST_CONNECTIONS
    interceptHooks(server, call => {
      const contained = callerOf()
      if (!contained) return void call.destroy()
      track(call)
      void answerHook({ handleHookCall: received => intake.handleHookCall({ ...received, contained }) }, call)
    })
    await rm(join(folder, 'socket'), { force: true })
    await listenIn(server, folder)
    server.unref()
    return {
      async close() {
        server.closeAllConnections()
        await new Promise(done => server.close(done))
      },
    }
  }
}
