import type { Cycle } from '@batonpass/contract/cycle'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { Contribution } from '../../ports/contribution.ts'
import type { Outcome, ReactionContext, Reactor } from '../../ports/reactor.ts'
import { HANDOFFS_FOLDER } from '../document-name.ts'
import type { HandoffGeneration } from '../write/generation.ts'
import { writeDocumentPrompt } from '../write/prompts.ts'
import type { Cycles } from './cycles.ts'
import { findWrongEssentials } from './essentials.ts'
import {
  continuePrompt,
  repeatEssentialsPrompt,
  requestDocumentPrompt,
  resumePromptStart,
} from './prompts.ts'

type Documents = Pick<HandoffGeneration, 'request' | 'ready' | 'deliverLate'>

/** Reads a turn's last message, for agents that do not include it in the turn's end. */
export type ReadLastMessage = (event: EventOf<'TurnEnded'>) => Promise<string>

/** Turns the agents' events into cycle events. */
export function cycleReactor(
  cycles: Cycles,
  documents: Documents,
  readLastMessage: ReadLastMessage = async () => '',
): Reactor {
  return {
    name: 'cycle',
    async react(event, context) {
      if (event.subagent) return undefined
      await cycles.start()
      if (event.type === 'SessionStarted') return void (await handleSessionStarted(cycles, event, context))
      const cycle = cycles.findCycle(event.session)
      if (cycle && cycle.successor?.session === event.session)
        return handleSuccessor({ cycles, documents, readLastMessage }, cycle, event)
      return handleOldSession(cycles, documents, event, context)
    },
  }
}

/** A new session at the place of a cycle is its successor, even if a person cleared the context. */
async function handleSessionStarted(
  cycles: Cycles,
  event: EventOf<'SessionStarted'>,
  { session }: ReactionContext,
): Promise<void> {
  if (event.source !== 'clear' && event.source !== 'startup') return
  await cycles.successorStarted(session, event.source === 'startup')
}

async function handleOldSession(
  cycles: Cycles,
  documents: Documents,
  event: AgentEvent,
  context: ReactionContext,
) {
  const { session, config, now } = context
  const known = cycles.findCycle(event.session)
  switch (event.type) {
    case 'ContextMeasured': {
      const cycle = await cycles.considerSession(session, config, now)
      if (cycle && (session.context?.percent ?? 0) >= config.cycle.force) void cycles.forceStart(cycle)
      return undefined
    }
    case 'TurnEnded': {
      // The stop that was answered with the request arrives again: the first answer was lost with the previous daemon.
      const again = known?.step === 'writing' && !known.taken && event.at <= known.changedAt
      if (known?.step === 'writing' && !again) await cycles.applyEvent(known.id, { type: 'begun' })
      const cycle = known ?? (await cycles.considerSession(session, config, now))
      // Background tasks and scheduled turns come back to this session; a handoff now would lose them.
      const waits = (event.running ?? 0) > 0 || (event.scheduled ?? 0) > 0
      if (!cycle || event.outcome !== 'completed' || waits) return undefined
      if (!again && !(await cycles.startAtStop(cycle, config))) return undefined
      const subject = { ...cycle, transcript: event.transcript ?? session.transcript, by: event.id }
      const name = await documents.request(subject, now)
      const prompt = `${requestDocumentPrompt(cycle.percent)}\n\n${writeDocumentPrompt(name, undefined, true)}`
      return { now: { continuation: { rank: 'cycle' as const, prompt } } }
    }
    case 'PromptSubmitted':
      if (!known || event.automatic) return undefined
      if (event.prompt.startsWith(requestDocumentPrompt(known.percent).slice(0, ASKED)))
        await cycles.applyEvent(known.id, { type: 'begun' })
      else await cycles.applyEvent(known.id, { type: 'interfered' })
      return undefined
    case 'ToolRequested':
      if (known?.step === 'writing') await cycles.applyEvent(known.id, { type: 'begun' })
      return undefined
    case 'ToolFinished': {
      const { action } = event
      const ours = action.kind === 'write' && action.paths.some(path => path.includes(`${HANDOFFS_FOLDER}/`))
      // The document exists: accept it without waiting for the end of the turn.
      if (known?.step === 'writing' && ours && !event.failed)
        void documents.ready(event.session, now).catch(() => {})
      return undefined
    }
    case 'Compacted':
      if (known?.step === 'due')
        await cycles.applyEvent(known.id, {
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
      await cycles.applyEvent(
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

async function handleSuccessor(
  {
    cycles,
    documents,
    readLastMessage,
  }: { cycles: Cycles; documents: Documents; readLastMessage: ReadLastMessage },
  cycle: Cycle,
  event: AgentEvent,
): Promise<Outcome | undefined> {
  switch (event.type) {
    case 'TurnEnded': {
      const goOn = { continuation: { rank: 'cycle' as const, prompt: continuePrompt(cycle) } }
      // The same event arrives again: the first answer was lost with the previous daemon.
      if (cycle.step === 'continuing' && cycle.heard === event.id) return { now: goOn }
      if (cycle.step === 'continuing') {
        await cycles.applyEvent(cycle.id, { type: 'begun' })
        return undefined
      }
      const checkAnswer = async (words: string): Promise<Contribution> => {
        const wrong = findWrongEssentials(words, cycle.essentials ?? {})
        const effects = await cycles.applyEvent(cycle.id, { type: 'answered', wrong, by: event.id })
        if (effects.some(effect => effect.do === 'continue')) return goOn
        if (!effects.some(effect => effect.do === 'ask-again')) return {}
        return {
          continuation: { rank: 'cycle', prompt: repeatEssentialsPrompt(cycle, wrong) },
        }
      }
      if (event.lastMessage !== undefined) return { now: await checkAnswer(event.lastMessage) }
      const run = async () => checkAnswer(await readLastMessage(event))
      return { later: { run, otherwise: {}, withinMs: DELIVERY_MS } }
    }
    case 'PromptSubmitted': {
      if (event.automatic) return undefined
      const { prompt } = event
      const { document = '', project, nativeSession: from, agent: fromAgent } = cycle
      const resumes = prompt.startsWith(resumePromptStart(document))
      const ours = resumes || prompt === continuePrompt(cycle)
      await cycles.applyEvent(cycle.id, { type: ours ? 'begun' : 'interfered' })
      if (!resumes) return undefined
      // Run it later: it needs the session's queue, which this reaction holds.
      const run = (signal: AbortSignal) =>
        documents.deliverLate(event, project, { document, from, fromAgent }, signal)
      return { later: { run, otherwise: {}, withinMs: DELIVERY_MS } }
    }
    case 'ToolRequested':
      await cycles.applyEvent(cycle.id, { type: 'begun' })
      return undefined
    case 'SessionEnded':
      if (event.reason !== 'clear' && event.reason !== 'resume')
        await cycles.applyEvent(cycle.id, {
          type: 'lost',
          why: `the new session was closed (${event.reason})`,
        })
      return undefined
    default:
      return undefined
  }
}
