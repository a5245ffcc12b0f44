import type { EventOf } from '@batonpass/contract/event'
import { NO_EVIDENCE, observe } from '../../../../src/work/workflows/evidence.ts'
import { Course, judgeProgress, type WorktreeState } from '../../../../src/work/workflows/progress.ts'
import { event, shell, write } from '../world.ts'

/** How a careful person would label the trace. `busy`: much activity, no progress. */
export type Label = 'progress' | 'stuck' | 'busy'

/** The time between two stops. */
export interface Interval {
  events: EventOf<'ToolFinished'>[]
  worktree: WorktreeState | undefined
  milestones?: number
}

export interface Trace {
  name: string
  label: Label
  nature: 'thinking' | 'building'
  intervals: Interval[]
}

/** Builds traces like real sessions: tool calls, then a stop, with a worktree that follows from the edits. */
export class Scribe {
  readonly intervals: Interval[] = []
  readonly #git: boolean
  readonly #files = new Map<string, string>()
  #events: EventOf<'ToolFinished'>[] = []
  #committed = new Map<string, string>()
  #head = 0
  #milestones = 0

  constructor(git = true) {
    this.#git = git
    this.stop()
  }

  run(command: string, output = '', failed = false): this {
    this.#events.push(shell('trace', command, output, failed))
    return this
  }
  write(path: string, content: string): this {
    this.#files.set(path, content)
    this.#events.push(write('trace', path, content))
    return this
  }
  read(path: string): this {
    this.#events.push(
      event('ToolFinished', 'trace', {
        tool: 'Read',
        input: { file_path: path },
        action: { kind: 'read', paths: [path] },
        response: 'text',
      }),
    )
    return this
  }
  search(pattern: string): this {
    this.#events.push(
      event('ToolFinished', 'trace', {
        tool: 'Grep',
        input: { pattern },
        action: { kind: 'search', paths: [], pattern },
        response: 'hits',
      }),
    )
    return this
  }
  web(url: string): this {
    this.#events.push(
      event('ToolFinished', 'trace', {
        tool: 'WebFetch',
        input: { url },
        action: { kind: 'web', url },
        response: 'page',
      }),
    )
    return this
  }
  helper(description: string): this {
    this.#events.push(
      event('ToolFinished', 'trace', {
        tool: 'Task',
        input: { description },
        action: { kind: 'agent', description },
        response: 'done',
      }),
    )
    return this
  }
  todo(...statuses: ('pending' | 'in_progress' | 'completed')[]): this {
    const todos = statuses.map((status, i) => ({ content: `Point ${i}`, status }))
    this.#events.push(event('ToolFinished', 'trace', { tool: 'TodoWrite', input: { todos }, response: 'ok' }))
    return this
  }
  denied(command: string): this {
    return this.run(command, 'Permission to use Bash has been denied.', true)
  }
  commit(message: string): this {
    this.#committed = new Map(this.#files)
    this.#head++
    return this.run(`git add -A && git commit -m "${message}"`, `[issue-1 ${this.#head}] ${message}`)
  }
  milestone(): this {
    this.#milestones++
    return this
  }
  /** Runs the tests: the named ones fail; without names all pass. Durations differ between runs, as in reality. */
  test(...failing: string[]): this {
    const ms = 100 + this.intervals.length * 37 + this.#events.length
    const lines = failing.map(
      name => ` FAIL  test/${name}.test.ts > ${name} works\nAssertionError: expected 1 to be 2`,
    )
    const summary =
      failing.length > 0
        ? `Tests  ${failing.length} failed | 40 passed (${ms}ms)`
        : `Tests  ${40 + failing.length} passed (${ms}ms)`
    return this.run('npm test', [...lines, summary].join('\n'), failing.length > 0)
  }
  stop(): this {
    const dirty = [...this.#files].filter(([path, content]) => this.#committed.get(path) !== content)
    const worktree = this.#git
      ? { head: `h${this.#head}`, tree: JSON.stringify(dirty.sort()), branch: 'issue-1' }
      : undefined
    this.intervals.push({ events: this.#events, worktree, milestones: this.#milestones })
    this.#events = []
    return this
  }
}

/** The stop at which Baton would end the run, if any; counted from the first. */
export function givesUpAt({ intervals, nature }: Trace): number | undefined {
  const [start, ...rest] = intervals
  let course = judgeProgress(Course.parse({}), NO_EVIDENCE, {
    worktree: start?.worktree,
    milestones: 0,
    nature,
  }).course
  course = { ...course, stuck: 0 }
  for (const [i, interval] of rest.entries()) {
    const evidence = interval.events.reduce(observe, NO_EVIDENCE)
    course = judgeProgress(course, evidence, {
      worktree: interval.worktree,
      milestones: interval.milestones ?? 0,
      nature,
    }).course
    if (course.stuck >= 3) return i + 1
  }
  return undefined
}

export interface ErrorRates {
  /** Working runs that would have been ended, of all working ones. */
  falseAlarms: { rate: number; names: string[] }
  /** Stuck runs that would have continued, of all stuck ones. */
  misses: { rate: number; names: string[] }
  traces: number
}

export function errorRates(traces: readonly Trace[]): ErrorRates {
  const working = traces.filter(trace => trace.label === 'progress')
  const stuck = traces.filter(trace => trace.label !== 'progress')
  const alarmed = working.filter(trace => givesUpAt(trace) !== undefined)
  const missed = stuck.filter(trace => givesUpAt(trace) === undefined)
  return {
    falseAlarms: { rate: alarmed.length / working.length, names: alarmed.map(trace => trace.name) },
    misses: { rate: missed.length / stuck.length, names: missed.map(trace => trace.name) },
    traces: traces.length,
  }
}
