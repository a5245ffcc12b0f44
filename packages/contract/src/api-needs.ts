/**
 * What a caller must prove before the daemon acts. The socket's mode and the port's token already keep other users out, but
 * agents run as the same user and can read the token. `no-agent`: a process with no agent among its ancestors, or a browser or
 * editor that a person let in. `person`: the same, and a process must also be at a terminal.
 */
export type ApiNeed = 'nothing' | 'no-agent' | 'person'

/** Every route that changes something, and the streams that only a person's program may follow. All other routes only read. */
export const API_NEEDS: readonly (readonly [method: string, path: string, need: ApiNeed])[] = [
  ['POST', '/api/asks/:id/answer', 'person'],
  ['POST', '/api/presence', 'person'],
  ['POST', '/api/page/link', 'person'],
  ['POST', '/api/page/logout-all', 'person'],
  ['POST', '/api/page/try-channels', 'person'],
  ['POST', '/api/page/undo', 'person'],
  // The settings decide what agents may do.
  ['POST', '/api/page/settings', 'person'],
  ['POST', '/api/runs/:session/accept', 'person'],
  ['POST', '/api/page/sessions/:id/say', 'person'],
  ['POST', '/api/page/sessions/:id/interrupt', 'person'],
  // Asks count as seen by a person while a page follows this stream.
  ['GET', '/api/page/events', 'person'],
  // An agent that paused Baton would be free of its rules.
  ['POST', '/api/pauses', 'person'],
  // Members of a fleet answer asks for each other.
  ['POST', '/api/fleet/token', 'person'],
  ['POST', '/api/fleet/join', 'person'],
  ['POST', '/api/fleet/remove', 'person'],
  ['POST', '/api/fleet/found', 'person'],

  // An agent that followed this stream could read, or swallow, prompts that a person sends to another session.
  ['GET', '/api/hosted/words', 'no-agent'],
  ['POST', '/api/stop', 'no-agent'],
  ['POST', '/api/pauses/end', 'no-agent'],
  ['DELETE', '/api/sessions/:id/journal', 'no-agent'],
  ['POST', '/api/spawns', 'no-agent'],
  ['DELETE', '/api/spawns/:name', 'no-agent'],
  ['POST', '/api/contained', 'no-agent'],
  ['POST', '/api/contained/:name', 'no-agent'],
  ['DELETE', '/api/contained/:name', 'no-agent'],
  ['POST', '/api/watch', 'no-agent'],
  ['DELETE', '/api/watch/:name', 'no-agent'],
  ['POST', '/api/sessions/:id/cycle', 'no-agent'],
  ['POST', '/api/sessions/:id/name', 'no-agent'],
  ['DELETE', '/api/sessions/:id/cycle', 'no-agent'],
  ['POST', '/api/proofs/:id/cancel', 'no-agent'],
  // Each job starts an agent.
  ['POST', '/api/queue', 'no-agent'],
  ['POST', '/api/queue/remove', 'no-agent'],
  ['POST', '/api/queue/retry', 'no-agent'],
  ['POST', '/api/queue/watch', 'no-agent'],
  ['POST', '/api/fleet', 'no-agent'],
  // The next caller can take a released claim.
  ['POST', '/api/claims/release', 'no-agent'],

  // Agents are meant to call these; each route has its own limits. Taking a live holder's claim checks for a person itself.
  ['POST', '/api/claims', 'nothing'],
  ['POST', '/api/claims/check', 'nothing'],
  ['POST', '/api/claims/push', 'nothing'],
  ['POST', '/api/claims/nudge', 'nothing'],
  ['POST', '/api/board/setup', 'nothing'],
  ['POST', '/api/work', 'nothing'],
  ['POST', '/api/work/:id/mode', 'nothing'],
  ['POST', '/api/tools/:name', 'nothing'],
  // Contained, and the same result for everyone.
  ['POST', '/api/proofs', 'nothing'],
  ['ALL', '/mcp', 'nothing'],
  // Events of hosted agents. They need no more proof than a hook call.
  ['POST', '/api/hosted', 'nothing'],
  ['POST', '/api/hosted/own', 'nothing'],
  ['POST', '/api/hosted/conversation', 'nothing'],
  // The link's code is the proof for logging in; logging out needs none.
  ['POST', '/login', 'nothing'],
  ['POST', '/api/page/logout', 'nothing'],
]

/** What the caller of a route must prove. */
export function apiNeed(method: string, path: string): ApiNeed {
  const steps = (path.split('?', 1)[0] ?? '').split('/')
  const fits = (pattern: readonly string[]) =>
    pattern.length === steps.length && pattern.every((step, at) => step.startsWith(':') || step === steps[at])
  return API_NEEDS.find(([verb, route]) => verb === method && fits(route.split('/')))?.[2] ?? 'nothing'
}
