import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import { KeyedQueue } from '../../session/keyed-queue.ts'
import { textOf } from '../../session/transcript/test-runs.ts'
import { answerStop } from './answer-stop.ts'
import { beginRun, newRun, reviveRun } from './begin-run.ts'
import { detectWorkflow } from './detect-workflow.ts'
import { endRun } from './end-run.ts'
import { marksOf, observe } from './evidence.ts'
import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'
import { debug, type RunContext, type StopAnswer } from './run-context.ts'
import { type BrokeredCommand, grantAfter, grantAfterBroker } from './run-grant.ts'
import { readFailure } from './usage-limits.ts'

/** Baton does not wait for a subagent that has run for longer than this. */
const HELPER_MS = 30 * 60_000
/** After this many limits in a row, the run fails. */
const MAX_PARKED = 6

/** Handles the events of hands-off mode, one at a time per session. The decisions are in `stop-verdict.ts`. */
export class HandsOff {
  readonly #ports: WorkflowPorts
  readonly #turns = new KeyedQueue()

  constructor(ports: WorkflowPorts) {
    this.#ports = ports
  }

  /** Whether a session has a run; cheap for sessions without one. */
  async concerns(session: SessionId, native: string, project: string): Promise<boolean> {
    const { files, runs } = this.#ports
    if (await runs.get(session)) return true
    return (await files.read(files.rootFor(project), native)).kind !== 'absent'
  }

  /** A prompt starts a run, or shows that a person is back. */
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
      // The end of a background task also arrives as a prompt; that does not mean that a person is back.
      return event.automatic ? {} : reviveRun(this.#ports, event, at)
    })
  }

  /** Counts a requested call: one that never finishes was refused. */
  toolRequested(event: EventOf<'ToolRequested'>): Promise<void> {
    return this.inTurn(event.session, async () => {
      const run = await this.#ports.runs.get(event.session)
      if (run && !run.end)
        await this.#ports.runs.put({
          ...run,
          evidence: observe(run.evidence, event),
          awaiting: false,
          saidDone: run.saidDone || saysDone(event),
        })
    })
  }

  /** Records the call that uses up what the run's grant covers once. */
  useGrant(session: SessionId, call: string): Promise<void> {
    return this.inTurn(session, async () => {
      const run = await this.#ports.runs.get(session)
      if (run?.grant) await this.#ports.runs.put({ ...run, grant: { ...run.grant, created: { call } } })
    })
  }

  /** Records what became of a gh command that the broker ran: a failed creation may be tried again. */
  brokerEnded(session: SessionId, done: BrokeredCommand): Promise<void> {
    return this.inTurn(session, async () => {
      const run = await this.#ports.runs.get(session)
      if (!run?.grant) return
      const grant = grantAfterBroker(run.grant, done)
      if (grant !== run.grant) await this.#ports.runs.put({ ...run, grant })
    })
  }

  /** Records a finished call as evidence of progress. */
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
        saidDone: run.saidDone || saysDone(event),
        ...(opened ? { pullRequest: opened } : {}),
        ...(run.grant ? { grant: grantAfter(run.grant, event, textOf(event.response)) } : {}),
      })
      const number = Number(/\/pull\/(\d{1,9})$/.exec(opened ?? '')?.[1])
      const found = number ? await files.read(run.root, event.nativeSession) : undefined
      if (found?.kind === 'state' && found.state.pr_number === undefined)
        await files.change(run.root, event.nativeSession, found.text, { ...found.state, pr_number: number })
    })
  }

  /** Records subagents: while one runs in the background, a stop is only a pause. */
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

  /** Answers a stop of the session's own turn. Returns nothing for sessions without a run. */
  turnEnded(event: EventOf<'TurnEnded'>, at: RunContext, signal: AbortSignal): Promise<StopAnswer> {
    return this.inTurn(event.session, async () => {
      const { files, runs } = this.#ports
      const root = files.rootFor(at.project)
      const found = await files.read(root, event.nativeSession)
      const known = await runs.get(event.session)
      if (!known && found.kind !== 'state')
        return found.kind === 'unreadable'
          ? { notice: `Hands-off mode ignores this session: ${found.why}.` }
          : {}
      // A state file without a stored run: a person wrote the file, or the run's record was lost.
      const run = known ?? (found.kind === 'state' ? newRun(event, at, root, found.state) : undefined)
      if (!run || (run.end && found.kind !== 'state')) return {}
      // Wait for subagents, which wake the agent when they finish; a background server never finishes.
      const waits = Object.values(run.helpers).some(since => at.now - since < HELPER_MS)
      if (waits && event.running !== 0) return {}
      const path = files.pathOf(root, event.nativeSession)
      await debug(this.#ports, at, root, event.nativeSession, `Found existing state file: ${path}`)
      return answerStop(this.#ports, event, at, { run, found }, signal)
    })
  }

  /** A turn failed with an error of the model service. */
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
      const reason = `${failure.reason}; it resumes at ${new Date(failure.until).toISOString()}`
      await endRun(this.#ports, { ...run, parked }, { kind: 'limit-parked', reason }, at)
    })
  }

  /** The agent waits for input although it got a continuation: it reached its own limit on continued stops. */
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
      // /clear may be part of a handoff, which then carries the run over.
      if (!run || run.end || event.reason === 'clear') return
      const known = run.proof ? run : await this.#answerLostStop(event, at, run)
      if (!known || known.end) return
      // The checks of its last commit still run: their result ends the run.
      if (known.proof) return this.#ports.runs.put({ ...known, proof: { ...known.proof, closed: true } })
      const reason = `the session was closed (${event.reason})`
      await endRun(this.#ports, known, { kind: 'blocked', reason }, at)
    })
  }

  /** The agent said that it is done, and its stop did not arrive, for example because the machine was too busy. */
  async #answerLostStop(event: EventOf<'SessionEnded'>, at: RunContext, run: Run): Promise<Run | undefined> {
    const { files, runs } = this.#ports
    const found = await files.read(run.root, run.nativeSession)
    if (!run.saidDone || found.kind !== 'state' || found.state.state !== 'done') return run
    const { reason: _, ...about } = event
    const stop = { ...about, type: 'TurnEnded' as const, continued: false, outcome: 'completed' as const }
    await answerStop(this.#ports, stop, at, { run, found }, new AbortController().signal)
    return runs.get(event.session)
  }

  /** Runs `work` after everything else for that session has finished. */
  inTurn<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(session, work)
  }
}

/** Whether the agent runs `baton done`: then Baton, and not a person, wrote `done` into the state file. */
const saysDone = ({ action }: EventOf<'ToolRequested' | 'ToolFinished'>): boolean =>
  action.kind === 'shell' && /\bbaton\s+done\b/.test(action.command)

const OWN_CAP =
  'the agent reached its own limit on continued stops; raise it with CLAUDE_CODE_STOP_HOOK_BLOCK_CAP'
