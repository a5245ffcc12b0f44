import type { AgentName } from '@batonpass/contract/event'
import { Reaction } from '@batonpass/contract/reaction'
import { askPermissionChain } from '../../adapters/acp/ask-permission.ts'
import type { OwnTurn } from '../../adapters/acp/reporting-backend.ts'
import type { StateFolder } from '../../config/state-folder.ts'
import type { ConsentAnswer, ConsentRequest } from '../../ports/backend.ts'
import type { ReactTo } from '../../ports/reactor.ts'
import { callDaemon } from '../daemon.ts'

/** As long as a person may take, and a little more. */
const PERSON_MS = 2 * 60 * 60_000 + 60_000
const OTHER_MS = 10 * 60_000

/** Tells the daemon what the hosted agent does. */
export function reactThroughDaemon(
  folder: StateFolder,
  about: {
    agent: AgentName
    cwd: string
    attended: boolean
    /** The sandbox in which the agent runs as a whole. */
    sandbox?: string | undefined
    pid(): number | undefined
  },
): ReactTo {
  return async (event, signal) => {
    const { agent, cwd, attended, sandbox } = about
    const within = event.type === 'PermissionAsked' ? PERSON_MS : OTHER_MS
    const pid = about.pid()
    const body = { agent, cwd, attended, event, sandbox, ...(pid === undefined ? {} : { pid }) }
    return Reaction.parse(await callDaemon(folder, 'POST', '/api/hosted', within, { body, signal }))
  }
}

/** Asks the receiver of the agent's own hooks to stand aside while the agent answers a question of Baton's own. */
export function daemonAside(folder: StateFolder, agent: AgentName): OwnTurn {
  return async (nativeSession, on) => {
    await callDaemon(folder, 'POST', '/api/hosted/own', ASIDE_MS, { body: { agent, nativeSession, on } })
  }
}
const ASIDE_MS = 5000

/** The chain has this long before the person at the terminal is asked as well: rules answer at once. */
const CHAIN_FIRST_MS = 1500

/** Asks the person at the terminal; undefined where no one is there, or the question was settled elsewhere. */
export type AskInline = (
  consent: ConsentRequest,
  reason: string | undefined,
  signal: AbortSignal,
) => Promise<ConsentAnswer | undefined>

/**
 * What a tool call is answered: by the chain where it decides, else by the first answer, of the person here or of one on
 * another channel. If no one is there, the answer is no.
 */
export function consentBy(ear: ReactTo, cwd: string, ask: AskInline | undefined) {
  return async (consent: ConsentRequest, signal: AbortSignal): Promise<ConsentAnswer> => {
    const settled = new AbortController()
    const over = AbortSignal.any([signal, settled.signal])
    // No daemon means no rules: then the person decides, or no one does.
    const chain = askPermissionChain(ear, consent, cwd, over).catch(() => ({
      decision: 'ask' as const,
      reason: undefined,
    }))
    try {
      const first = await Promise.race([chain, late(ask ? CHAIN_FIRST_MS : PERSON_MS, over)])
      if (first && first.decision !== 'ask')
        return first.decision === 'deny' && first.reason ? { deny: first.reason } : first.decision
      if (!ask) return 'deny'
      const inline = ask(consent, first?.reason, over)
      const elsewhere = chain.then(({ decision }) => (decision === 'ask' ? inline : decision))
      return (await Promise.race([inline, elsewhere])) ?? (await elsewhere) ?? 'deny'
    } finally {
      settled.abort()
    }
  }
}

function late(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms, undefined)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}
