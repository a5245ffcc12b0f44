import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { answerStop } from './answer-stop.ts'
import { beginRun, newRun, reviveRun } from './begin-run.ts'
import { detectWorkflow } from './detect-workflow.ts'
import { endRun } from './end-run.ts'
import { marksOf, observe } from './evidence.ts'
import type { WorkflowPorts } from './ports.ts'
import { debug, type RunContext, type StopAnswer } from './run-context.ts'
import { readFailure } from './usage-limits.ts'

/** A subagent that was not heard of for so long is not waited for. */
const HELPER_MS = 30 * 60_000
/** So many limits in a row, and something else is wrong. */
const MAX_PARKED = 6

/** Hands-off mode, event by event. One thing at a time for each session; nothing here decides, see `stop-verdict.ts`. */
export class HandsOff {
  readonly #ports: WorkflowPorts
  readonly #turns = new KeyedQueue()

  constructor(ports: WorkflowPorts) {
    this.#ports = ports
  }

  /** Whether a session has a run; cheap for those that have none. */
  async concerns(session: SessionId, native: string, project: string): Promise<boolean> {
    const { files, runs } = this.#ports
    if (await runs.get(session)) return true
    return (await files.read(files.rootFor(project), native)).kind !== 'absent'
  }

  /** A prompt: begins a run, or tells that a person is back. */
  promptSubmitted(
    event: EventOf<'PromptSubmitted'>,
    at: RunContext,
  ): Promise<{ notice?: string; context?: string }> {
    return this.inTurn(event.session, async () => {
      if (event.subagent || !at.config.handsoff.enabled) return {}
      const prompt = event.prompt.trimStart()
      const detected = prompt.startsWith('/')
        ? detectWorkflow(prompt, await this.#ports.workflows(at.project))
        : undefined
      if (detected) return beginRun(this.#ports, event, detected, at)
      // The end of a background task comes as a prompt, too: that is nobody coming back.
      if (!event.automatic) await reviveRun(this.#ports, event, at)
      return {}
    })
  }

  /** A call that is asked for and never ends was refused. */
  toolRequested(event: EventOf<'ToolRequested'>): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (run && !run.end)
        await this.#ports.runs.put({ ...run, evidence: observe(run.evidence, event), awaiting: false })
    })
  }

  /** A tool's end is evidence of what the agent does. */
  toolFinished(event: EventOf<'ToolFinished'>): Promise<void> {
    return this.inTurn(event.session, async () => {
      const { runs, files } = this.#ports
      const run = await runs.get(event.session)
      if (!run || run.end) return
      const done = !event.failed && event.action.kind === 'shell'
      const marks = done && event.action.kind === 'shell' ? marksOf(event.action.command, event.response) : []
      const opened = marks.findLast(mark => mark.startsWith('pull-request '))?.slice('pull-request '.length)
      await runs.put({
        ...run,
        evidence: observe(run.evidence, event),
        marks: [...new Set([...run.marks, ...marks])].slice(-100),
        awaiting: false,
        ...(opened ? { pullRequest: opened } : {}),
      })
      const number = Number(/\/pull\/(\d{1,9})$/.exec(opened ?? '')?.[1])
      const found = number ? await files.read(run.root, event.nativeSession) : undefined
      if (found?.kind === 'state' && found.state.pr_number === undefined)
        await files.change(run.root, event.nativeSession, found.text, { ...found.state, pr_number: number })
    })
  }

  /** Subagents come and go; while one is at work in the background, a stop is only a pause. */
  helper(event: EventOf<'SubagentStarted' | 'SubagentEnded'>, at: RunContext): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      const id = event.subagent?.id
      if (!run || run.end || id === undefined) return
      const { [id]: _, ...others } = run.helpers
      const helpers = event.type === 'SubagentStarted' ? { ...others, [id]: at.now } : others
      await this.#ports.runs.put({ ...run, helpers })
    })
  }

  /** A stop of the session's own turn. Says nothing for sessions without a run. */
  turnEnded(event: EventOf<'TurnEnded'>, at: RunContext, signal: AbortSignal): Promise<StopAnswer> {
    return this.inTurn(event.session, async () => {
      const { files, runs } = this.#ports
      const root = files.rootFor(at.project)
      const found = await files.read(root, event.nativeSession)
      const known = await runs.get(event.session)
      if (!known && found.kind !== 'state')
        return found.kind === 'unreadable' ? { notice: `Hands-off mode stands aside: ${found.why}.` } : {}
      // A state file without a memory of ours: a person wrote it, or our memory was lost.
      const run = known ?? (found.kind === 'state' ? newRun(event, at, root, found.state) : undefined)
      if (!run || (run.end && found.kind !== 'state')) return {}
      // A server in the background runs on for ever; a subagent comes back by itself, and the agent with it.
      const waits = Object.values(run.helpers).some(since => at.now - since < HELPER_MS)
      if (waits && event.running !== 0) return {}
      const path = files.pathOf(root, event.nativeSession)
      await debug(this.#ports, at, root, event.nativeSession, `Found existing state file: ${path}`)
      return answerStop(this.#ports, event, at, { run, found }, signal)
    })
  }

  /** A turn died on an error of the model service. */
  turnFailed(event: EventOf<'TurnFailed'>, at: RunContext): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (!run || event.subagent || (run.end && run.end.kind !== 'limit-parked')) return
      const tries = (run.parked?.tries ?? 0) + 1
      const failure = readFailure(event, at.now)
      if (failure.kind === 'failed' || tries > MAX_PARKED) {
        const reason = tries > MAX_PARKED ? `${tries} limits in a row: ${failure.reason}` : failure.reason
        await endRun(this.#ports, run, { kind: 'failed', reason }, at)
        return
      }
      const parked = { until: failure.until, reason: failure.reason, resumed: false, tries }
      const reason = `${failure.reason}; it goes on at ${new Date(failure.until).toISOString()}`
      await endRun(this.#ports, { ...run, parked }, { kind: 'limit-parked', reason }, at)
    })
  }

  /** The agent waits for input although it was told to go on: its own limit on continued stops took effect. */
  idle(event: EventOf<'Idle'>, at: RunContext): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (event.kind !== 'idle' || !run?.awaiting || run.end) return
      await endRun(this.#ports, run, { kind: 'blocked', reason: OWN_CAP }, at)
    })
  }

  sessionEnded(event: EventOf<'SessionEnded'>, at: RunContext): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      // /clear may be a handoff: whoever carries the run over says so.
      if (!run || run.end || event.reason === 'clear') return
      await endRun(
        this.#ports,
        run,
        { kind: 'blocked', reason: `the session was closed (${event.reason})` },
        at,
      )
    })
  }

  /** Runs `work` when nothing else is under way for that session. */
  inTurn<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(session, work)
  }
}

const OWN_CAP =
  'the agent ended its turn by its own limit on continued stops; CLAUDE_CODE_STOP_HOOK_BLOCK_CAP raises it'
