import type { Session } from '@batonpass/contract/session'
import type { Contribution } from '../ports/contribution.ts'
import type { Outcome, Reactor } from '../ports/reactor.ts'
import { beginSession } from './begin-session.ts'
import type { Claims } from './claims.ts'
import { takeNews } from './deliver-news.ts'
import { endTurn } from './end-turn.ts'
import type { ClaimPorts } from './ports.ts'
import { answerEarly, answersEarly, readPrompt } from './read-prompt.ts'

/** The time limit for everything a stop triggers, git and forge included. */
const STOP_MS = 30_000
const BOARD_MS = 5000
/** The longest that a session's start waits, even if a signal file written by hand has to be checked. */
const START_MS = 8000

export interface ClaimReactorPorts {
  claims: Claims
  ports: ClaimPorts
  session(id: string): Promise<Session | undefined>
  /** Summarizes the board for a session without a claim; undefined if no board is set up. */
  boardWords(project: string): Promise<string | undefined>
  /** For a worktree without a claim: announces that its branch's pull request was merged, and suggests the next issue. */
  mergedWithout(project: string): Promise<void>
  /** The same, once, for the agent. */
  mergeWords(project: string): string | undefined
}

/** Tells sessions about their claims, and advances a claim when its session stops. */
export function claimReactor(links: ClaimReactorPorts): Reactor {
  const { claims, ports, boardWords, mergedWithout, mergeWords } = links
  return {
    name: 'claim',
    async react(event, context) {
      if (event.subagent) return undefined
      const record = await claims.at(context.project)
      const own =
        record && (record.session === undefined || record.session === event.session) ? record : undefined
      // The issue was claimed outside a session: the first session that works here holds it.
      if (own?.session === undefined && own?.stage === 'held' && WORKS.has(event.type))
        await claims.sessionBegan(own, context.session, true, undefined)
      const bye = claims.farewell(event.session)
      switch (event.type) {
        case 'SessionStarted': {
          if (record || (await ports.signals.read(context.project)).kind === 'claim')
            return later(() => beginSession(event, context, links), START_MS)
          if (context.config.board.number === 0 || event.source === 'compact') return undefined
          return later(async () => ({ ...contextOf(await boardWords(context.project)) }), BOARD_MS)
        }
        case 'PromptSubmitted':
          claims.busy(event.session, true)
          if (own && answersEarly(event, own)) {
            const { context: news = '' } = await readPrompt(event, own, links)
            const early = async () => {
              const { context: said = '' } = await answerEarly(event, own, links)
              return contextOf([said, news].filter(Boolean).join('\n\n'))
            }
            return { later: { run: early, otherwise: contextOf(news), withinMs: START_MS } }
          }
          if (own) return { now: await readPrompt(event, own, links) }
          return withContext([bye, record ? undefined : mergeWords(context.project)])
        case 'ToolRequested':
          claims.busy(event.session, true)
          return undefined
        case 'ToolFinished': {
          const news = own && own.inbox.length > 0 ? await takeNews(ports, own) : bye
          return news ? { now: { context: news } } : undefined
        }
        case 'TurnEnded': {
          claims.busy(event.session, false)
          if (record && !own) return undefined
          if (!own && (await ports.signals.read(context.project)).kind !== 'claim') return undefined
          return later(() => endTurn(event, context, own, links), STOP_MS)
        }
        case 'TurnFailed':
          claims.busy(event.session, false)
          return undefined
        case 'Idle':
          claims.busy(event.session, false)
          if (!record && event.kind === 'idle') void mergedWithout(context.project)
          return undefined
        case 'SessionEnded':
          claims.busy(event.session, false)
          // After /clear a successor session starts at once and takes over the claim through carryOver.
          if (own && event.reason !== 'clear') await claims.sessionEnded(own)
          return undefined
        default:
          return undefined
      }
    },
  }
}

const WORKS: ReadonlySet<string> = new Set(['PromptSubmitted', 'ToolRequested', 'TurnEnded'])

const later = (run: () => Promise<Contribution>, withinMs: number) => ({
  later: { run, otherwise: {}, withinMs },
})
const withContext = (texts: readonly (string | undefined)[]): Outcome | undefined => {
  const context = texts.filter(Boolean).join('\n\n')
  return context ? { now: { context } } : undefined
}
const contextOf = (context: string | undefined): Contribution => (context ? { context } : {})
