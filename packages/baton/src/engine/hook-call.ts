import { BatonError } from '@batonpass/contract/errors'
import type { Envelope } from '@batonpass/contract/hook'
import type { ContainedCaller } from '../ports/contained-caller.ts'
import type { ReactionContext } from '../ports/reactor.ts'

/** One hook call: the client's envelope and the agent's own bytes. */
export interface HookCall {
  envelope: Envelope
  body: Uint8Array
  /** The client lost its connection and repeats the call: the event may already be recorded. */
  retry: boolean
  /** The hosting program reported the event, not a hook, so its place and pid are trusted. */
  hosted?: boolean
  /** The broker asks for itself; no hook can say so. */
  brokered?: ReactionContext['brokered']
  takeRelease?: ReactionContext['takeRelease']
  /** The call came from an agent that runs in the sandbox as a whole; no hook can say so. */
  contained?: ContainedCaller | undefined
  /** Aborts when the caller stops waiting for the answer. */
  signal: AbortSignal
}

/** What accompanies an event that no hook delivered, like the envelope of a hook call. */
export interface ReportContext extends Pick<Envelope, 'cwd' | 'pane' | 'pid' | 'attended'> {
  /** Reported by the hosting program. If the session has hooks, they report the same event and take precedence. */
  hosted?: boolean
  /** The broker asks for itself. */
  brokered?: ReactionContext['brokered']
  takeRelease?: ReactionContext['takeRelease']
  contained?: ContainedCaller | undefined
  /** Aborts when the caller stops waiting for the answer. */
  signal?: AbortSignal
}

/** The envelope of a call from inside a sandbox: what only the daemon can know does not come from there. */
export function envelopeFrom({ agent, pid, place }: ContainedCaller, envelope: Envelope): Envelope {
  if (envelope.agent !== agent)
    throw new BatonError('not_allowed', `Only ${agent} runs in this sandbox, not ${envelope.agent}`)
  const { pid: _pid, pane: _pane, marker: _marker, pathMap: _map, home: _home, cwd: _cwd, ...rest } = envelope
  return { ...rest, ...(pid === undefined ? {} : { pid }), ...(place === undefined ? {} : { pane: place }) }
}

/** Invalid UTF-8 becomes replacement characters: a stray byte in a prompt must not fail the call. */
export function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw new BatonError('payload_invalid', 'The hook payload is not JSON', { cause })
  }
}

export function nativeEventOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !('hook_event_name' in payload)) return ''
  return typeof payload.hook_event_name === 'string' ? payload.hook_event_name : ''
}
