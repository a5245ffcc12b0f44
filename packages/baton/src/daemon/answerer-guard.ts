import { join } from 'node:path'
import type { ApiNeed } from '@batonpass/contract/api-needs'
import { BatonError } from '@batonpass/contract/errors'
import { refuseAgents } from '../ask/refuse-agents.ts'
import type { Ancestry } from '../ports/ancestry.ts'
import { sameSecret } from './loopback-guard.ts'

/** Who gave an answer over the API; throws `not_allowed` for one who may not. For `no-agent` a terminal is not needed. */
export type MayAnswer = (
  headers: Headers,
  need?: Exclude<ApiNeed, 'nothing'>,
) => Promise<{ channel: string; who: string }>

export interface GuardParts {
  ancestry: Ancestry
  token: string
  /** Whose daemon this is, for the record. */
  user: string
  stateDir: string
  /** Whether a request comes from a dashboard that a person was let into. */
  fromPage?(headers: Headers): boolean
}

/**
 * An answer over the API comes from a page of the dashboard that was let in, from a program that holds the token
 * (an editor, a script of the person), or from a terminal: the caller names its process, proves it by
 * holding a file open, and no agent may be among that process's ancestors.
 */
export function answererGuard({ ancestry, token, user, stateDir, fromPage }: GuardParts): MayAnswer {
  return async (headers, need = 'person') => {
    const given = /^Bearer ([0-9a-f]{64})$/.exec(headers.get('authorization') ?? '')?.[1]
    const hasToken = given !== undefined && sameSecret(given, token)
    const pid = /^[1-9]\d{0,9}$/.exec(headers.get('baton-pid') ?? '')?.[0]
    if (pid !== undefined) {
      const proof = /^answering-[0-9a-z]{16,64}$/.exec(headers.get('baton-proof') ?? '')?.[0]
      if (!proof || (await ancestry.holds(Number(pid), join(stateDir, proof))) === false)
        throw new BatonError('not_allowed', `Process ${pid} did not prove that it is the one who answers`)
      refuseAgents(await ancestry.of(Number(pid)), hasToken || need === 'no-agent' ? 'not-needed' : 'needed')
      return { channel: 'terminal', who: user }
    }
    if (fromPage?.(headers)) return { channel: 'dashboard', who: user }
    if (!hasToken && need === 'no-agent')
      throw new BatonError('not_allowed', 'This needs the token, or a process that shows who it is', {
        remedy: 'Use the command `baton` in a terminal of your own.',
      })
    if (!hasToken)
      throw new BatonError('not_allowed', 'An answer needs the token or a terminal', {
        remedy: 'Use `baton allow ASK` or `baton deny ASK` in a terminal of your own.',
      })
    const channel = /^[a-z][a-z-]{0,31}$/.exec(headers.get('baton-channel') ?? '')?.[0] ?? 'api'
    return { channel, who: user }
  }
}
