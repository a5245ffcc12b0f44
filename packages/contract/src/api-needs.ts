/**
 * What the daemon wants to know of a caller before it does something. The socket's mode and the port's token have already kept
 * strangers out; but agents run as the same user and can read the token. `no-agent`: a process with no agent among its ancestors,
 * or a browser or an editor that a person let in. `person`: the same, and a process must be at a terminal.
 */
export type ApiNeed = 'nothing' | 'no-agent' | 'person'

/** Every route that changes something, and those that only a person's program may follow. What is not here only tells. */
export const API_NEEDS: readonly (readonly [method: string, path: string, need: ApiNeed])[] = [
  ['POST', '/api/asks/:id/answer', 'person'],
  ['POST', '/api/page/link', 'person'],
  ['POST', '/api/page/logout-all', 'person'],
  ['POST', '/api/page/try-channels', 'person'],
  ['POST', '/api/page/undo', 'person'],
  ['POST', '/api/page/sessions/:id/say', 'person'],
  ['POST', '/api/page/sessions/:id/interrupt', 'person'],
  // Asks count as seen by a person while a page follows these.
  ['GET', '/api/page/events', 'person'],

  // An agent that followed it would hear, or seem to take, what a person says to another.
  ['GET', '/api/hosted/words', 'no-agent'],
  ['POST', '/api/stop', 'no-agent'],
  ['DELETE', '/api/sessions/:id/journal', 'no-agent'],
  ['POST', '/api/spawns', 'no-agent'],
  ['DELETE', '/api/spawns/:name', 'no-agent'],
  ['POST', '/api/watch', 'no-agent'],
  ['DELETE', '/api/watch/:name', 'no-agent'],
  ['POST', '/api/sessions/:id/cycle', 'no-agent'],
  ['DELETE', '/api/sessions/:id/cycle', 'no-agent'],
  // A claim that is released can be taken by whoever asks for it next.
  ['POST', '/api/claims/release', 'no-agent'],

  // What agents are meant to do, each within its own limits. Taking a living holder's claim asks for a person by itself.
  ['POST', '/api/claims', 'nothing'],
  ['POST', '/api/claims/check', 'nothing'],
  ['POST', '/api/claims/push', 'nothing'],
  ['POST', '/api/claims/nudge', 'nothing'],
  ['POST', '/api/board/setup', 'nothing'],
  ['POST', '/api/work', 'nothing'],
  ['POST', '/api/work/:id/mode', 'nothing'],
  ['POST', '/api/tools/:name', 'nothing'],
  ['ALL', '/mcp', 'nothing'],
  // Events of agents that a program of Baton's hosts: they weigh what a hook's weigh.
  ['POST', '/api/hosted', 'nothing'],
  ['POST', '/api/hosted/own', 'nothing'],
  ['POST', '/api/hosted/conversation', 'nothing'],
  // The code of the link is the proof; and everybody may leave.
  ['POST', '/login', 'nothing'],
  ['POST', '/api/page/logout', 'nothing'],
]

/** What a call needs, for one who has to bring it along. */
export function apiNeed(method: string, path: string): ApiNeed {
  const steps = (path.split('?', 1)[0] ?? '').split('/')
  const fits = (pattern: readonly string[]) =>
    pattern.length === steps.length && pattern.every((step, at) => step.startsWith(':') || step === steps[at])
  return API_NEEDS.find(([of, route]) => of === method && fits(route.split('/')))?.[2] ?? 'nothing'
}
