import type { Cycle } from '@batonpass/contract/cycle'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { Contribution } from '../../ports/contribution.ts'
import type { Outcome, ReactionContext, Reactor } from '../../ports/reactor.ts'
import { HANDOFFS } from '../document-name.ts'
import type { HandoffGeneration } from '../write/generation.ts'
import { askWords } from '../write/prompts.ts'
import type { Cycles } from './cycles.ts'
import { wrongIn } from './essentials.ts'
import { askAgainWords, askDocumentWords, goOnWords, resumeBeginning } from './prompts.ts'

type Documents = Pick<HandoffGeneration, 'request' | 'ready' | 'deliverLate'>

/** Reads a turn's last message, for agents that do not include it in the turn's end. */
export type LastWords = (event: EventOf<'TurnEnded'>) => Promise<string>

/** Turns the agents' events into cycle events. */
export function cycleReactor(
  cycles: Cycles,
  documents: Documents,
  lastWords: LastWords = async () => '',
): Reactor {
  return {
    name: 'cycle',
    async react(event, context) {
      if (event.subagent) return undefined
      await cycles.start()
      if (event.type === 'SessionStarted') return void (await began(cycles, event, context))
      const cycle = cycles.of(event.session)
      if (cycle && cycle.successor?.session === event.session)
        return inSuccessor({ cycles, documents, lastWords }, cycle, event)
      return inOld(cycles, documents, event, context)
    },
  }
}

/** A new session at the place of a cycle is its successor, even if a person cleared the context. */
async function began(
  cycles: Cycles,
  event: EventOf<'SessionStarted'>,
  { session }: ReactionContext,
): Promise<void> {
  if (event.source !== 'clear' && event.source !== 'startup') return
  await cycles.succeeded(session, event.source === 'startup')
}

async function inOld(cycles: Cycles, documents: Documents, event: AgentEvent, context: ReactionContext) {
  const { session, config, now } = context
  const known = cycles.of(event.session)
  switch (event.type) {
    case 'ContextMeasured': {
      const cycle = await cycles.consider(session, config, now)
      if (cycle && (session.context?.percent ?? 0) >= config.cycle.force) void cycles.force(cycle)
      return undefined
    }
    case 'TurnEnded': {
      // The stop that was answered with the request arrives again: the first answer was lost with the previous daemon.
      const again = known?.step === 'writing' && !known.taken && event.at <= known.changedAt
      if (known?.step === 'writing' && !again) await cycles.happen(known.id, { type: 'begun' })
      const cycle = known ?? (await cycles.consider(session, config, now))
      // Background tasks report to this session when they finish; a handoff now would lose their results.
      if (!cycle || event.outcome !== 'completed' || (event.running ?? 0) > 0) return undefined
      if (!again && !(await cycles.atStop(cycle, config))) return undefined
      const subject = { ...cycle, transcript: event.transcript ?? session.transcript, by: event.id }
      const name = await documents.request(subject, now)
      const prompt = `${askDocumentWords(cycle.percent)}\n\n${askWords(name, undefined, true)}`
      return { now: { continuation: { rank: 'cycle' as const, prompt } } }
    }
    case 'PromptSubmitted':
      if (!known || event.automatic) return undefined
      if (event.prompt.startsWith(askDocumentWords(known.percent).slice(0, ASKED)))
        await cycles.happen(known.id, { type: 'begun' })
      else await cycles.happen(known.id, { type: 'interfered' })
      return undefined
    case 'ToolRequested':
      if (known?.step === 'writing') await cycles.happen(known.id, { type: 'begun' })
      return undefined
    case 'ToolFinished': {
      const { action } = event
      const ours = action.kind === 'write' && action.paths.some(path => path.includes(`${HANDOFFS}/`))
      // The document exists: accept it without waiting for the end of the turn.
      if (known?.step === 'writing' && ours && !event.failed)
        void documents.ready(event.session, now).catch(() => {})
      return undefined
    }
    case 'Compacted':
      if (known?.step === 'due')
        await cycles.happen(known.id, {
          type: 'cancel',
          why: 'the agent compacted its context itself',
          again: true,
        })
      return undefined
    case 'SessionEnded':
      if (!known || event.reason === 'clear' || event.reason === 'resume') return undefined
      // Clearing ends the session, too: some agents give no reason of their own for it, and some report it late.
      if (known.successor || (known.step === 'clearing' && known.startsWithPrompt)) return undefined
      // A person who closes a session on purpose does not want the next one to start with its document.
      await cycles.happen(
        known.id,
        known.step === 'due' && LEFT.has(event.reason)
          ? { type: 'cancel', why: 'a person closed the session', again: true }
          : { type: 'lost', why: `the session was closed (${event.reason})` },
      )
      return undefined
    default:
      return undefined
  }
}

const ASKED = 30
const LEFT: ReadonlySet<string> = new Set(['prompt_input_exit', 'logout', 'closed'])
const DELIVERY_MS = 8000

async function inSuccessor(
  { cycles, documents, lastWords }: { cycles: Cycles; documents: Documents; lastWords: LastWords },
  cycle: Cycle,
  event: AgentEvent,
): Promise<Outcome | undefined> {
  switch (event.type) {
    case 'TurnEnded': {
      const goOn = { continuation: { rank: 'cycle' as const, prompt: goOnWords(cycle) } }
      // The same event arrives again: the first answer was lost with the previous daemon.
      if (cycle.step === 'continuing' && cycle.heard === event.id) return { now: goOn }
      if (cycle.step === 'continuing') {
        await cycles.happen(cycle.id, { type: 'begun' })
        return undefined
      }
      const judge = async (words: string): Promise<Contribution> => {
        const wrong = wrongIn(words, cycle.essentials ?? {})
        const effects = await cycles.happen(cycle.id, { type: 'answered', wrong, by: event.id })
        if (effects.some(effect => effect.do === 'continue')) return goOn
        if (!effects.some(effect => effect.do === 'ask-again')) return {}
        return { continuation: { rank: 'cycle', prompt: askAgainWords(cycle.document ?? '', wrong) } }
      }
      if (event.lastMessage !== undefined) return { now: await judge(event.lastMessage) }
      const run = async () => judge(await lastWords(event))
      return { later: { run, otherwise: {}, withinMs: DELIVERY_MS } }
    }
    case 'PromptSubmitted': {
      if (event.automatic) return undefined
      const { prompt } = event
      const { document = '', project, nativeSession: from, agent: fromAgent } = cycle
      const resumes = prompt.startsWith(resumeBeginning(document))
      const ours = resumes || prompt === goOnWords(cycle)
      await cycles.happen(cycle.id, { type: ours ? 'begun' : 'interfered' })
      if (!resumes) return undefined
      // Run it later: it needs the session's queue, which this reaction holds.
      const run = () => documents.deliverLate(event, project, { document, from, fromAgent })
      return { later: { run, otherwise: {}, withinMs: DELIVERY_MS } }
    }
    case 'ToolRequested':
      await cycles.happen(cycle.id, { type: 'begun' })
      return undefined
    case 'SessionEnded':
      if (event.reason !== 'clear' && event.reason !== 'resume')
        await cycles.happen(cycle.id, { type: 'lost', why: `the new session was closed (${event.reason})` })
      return undefined
    default:
      return undefined
  }
}
