import type { Server } from 'node:http'
import type { HookCall } from './hook-route.ts'

/** How often a daemon that stops looks whether everything has ended. */
const QUIET_MS = 20

/** What is being answered. */
type Answering = Pick<HookCall, 'headersSent' | 'writableEnded'> & {
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** The calls that are being answered. */
export class OpenCalls {
  readonly #open = new Set<Answering>()

  track(response: Answering): void {
    this.#open.add(response)
    response.once('close', () => this.#open.delete(response))
  }

  /** Waits until nothing is under way. Live streams and calls that were told to wait are cut off: they come back. */
  async waitUntilAnswered(servers: readonly Server[], withinMs: number): Promise<void> {
    for (const server of servers) server.closeIdleConnections()
    const tooLong = AbortSignal.timeout(withinMs)
    while (this.#open.size > 0 && !tooLong.aborted) {
      for (const response of this.#open)
        if (response.headersSent && !response.writableEnded) response.destroy()
      await new Promise(resolve => setTimeout(resolve, QUIET_MS))
    }
    for (const response of this.#open) response.destroy()
    for (const server of servers) server.closeAllConnections()
  }
}
