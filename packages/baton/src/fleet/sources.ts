import type { JobData, JobView, QueueAdd, SourceView } from '@batonpass/contract/fleet'
import { MAX_PRIORITY } from '@batonpass/contract/fleet'
import { z } from 'zod'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'

const LOOK_MS = 60_000

const Source = z.object({
  project: z.string(),
  repository: z.string(),
  /** Issues that were there at the last look: each becomes a job once, until its label is taken off and put on again. */
  seen: z.array(z.number()).default([]),
  /** Issues that a person took out of the queue. */
  dismissed: z.array(z.number()).default([]),
})
type Source = z.infer<typeof Source>

export const SourceFile = z.object({ version: z.literal(1), sources: z.array(Source) })
export type SourceFile = z.infer<typeof SourceFile>

export interface SourcePorts {
  file: { read(): Promise<SourceFile | undefined>; write(file: SourceFile): Promise<void> }
  repositoryOf(project: string): Promise<string>
  forgeOf(project: string): Promise<Forge>
  settingsOf(project: string): Promise<{ label: string; column: string }>
  redact(text: string): string
  clock: Clock
}

/** What the sources put their issues into. */
export interface Jobs {
  list(): Promise<JobView[]>
  add(order: QueueAdd, known: { labels: string[] }): Promise<unknown>
}

/** Repositories whose issues become jobs by a label or a column of the board. */
export class Sources {
  readonly #ports: SourcePorts
  readonly #turns = new KeyedQueue()
  readonly #problems = new Map<string, string>()
  #sources: Promise<Source[]> | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined

  constructor(ports: SourcePorts) {
    this.#ports = ports
  }

  async watch(project: string, on: boolean): Promise<void> {
    const repository = await this.#ports.repositoryOf(project)
    await this.#change(sources => {
      const others = sources.filter(source => source.repository !== repository)
      return on ? [...others, { project, repository, seen: [], dismissed: [] }] : others
    })
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  /** A person took the issue out of the queue: it does not come back by itself. */
  async dismiss({ repository, issue }: Pick<JobData, 'repository' | 'issue'>): Promise<void> {
    await this.#changeOne(repository, source => ({
      ...source,
      dismissed: [...new Set([...source.dismissed, issue])],
    }))
  }

  async views(): Promise<SourceView[]> {
    return Promise.all(
      (await this.#read()).map(async ({ project, repository }) => {
        const { label, column } = await this.#ports.settingsOf(project)
        const problem = this.#problems.get(repository)
        return { project, repository, label, column, ...(problem ? { problem } : {}) }
      }),
    )
  }

  /** Looks at the forge once in a minute; a call while another one works joins it. */
  tick(jobs: Jobs): Promise<void> {
    this.#running ??= this.#tick(jobs).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #tick(jobs: Jobs): Promise<void> {
    const now = this.#ports.clock.now()
    if (now - this.#lookedAt < LOOK_MS) return
    this.#lookedAt = now
    for (const source of await this.#read())
      await this.#look(source, jobs).then(
        () => this.#problems.delete(source.repository),
        cause =>
          this.#problems.set(
            source.repository,
            this.#ports.redact(cause instanceof Error ? cause.message : String(cause)),
          ),
      )
  }

  async #look({ project, repository, seen, dismissed }: Source, jobs: Jobs): Promise<void> {
    const settings = await this.#ports.settingsOf(project)
    const found = await this.#find(project, settings)
    const fresh = [...found].filter(([issue]) => !seen.includes(issue) && !dismissed.includes(issue))
    for (const [issue, labels] of fresh)
      await jobs.add({ project, issue, priority: priorityIn(labels) }, { labels })
    const inQueue = new Set(
      (await jobs.list()).filter(job => job.repository === repository).map(({ issue }) => issue),
    )
    await this.#changeOne(repository, known => ({
      ...known,
      // A claim moves its issue to other columns of the board.
      seen: [...found.keys(), ...known.seen.filter(issue => !found.has(issue) && inQueue.has(issue))],
      dismissed: settings.column ? known.dismissed : known.dismissed.filter(issue => found.has(issue)),
    }))
  }

  /** The issues that are ready, with their labels. */
  async #find(
    project: string,
    { label, column }: { label: string; column: string },
  ): Promise<Map<number, string[]>> {
    const forge = await this.#ports.forgeOf(project)
    const found = new Map<number, string[]>()
    if (column)
      for (const { issue, kind, state, status, labels } of await forge.boardItems())
        if (issue && kind === 'issue' && state === 'open' && status?.toLowerCase() === column.toLowerCase())
          found.set(issue, labels)
    if (label) for (const { number, labels } of await forge.openIssues(label)) found.set(number, labels)
    return found
  }

  #changeOne(repository: string, change: (source: Source) => Source): Promise<void> {
    return this.#change(sources =>
      sources.map(source => (source.repository === repository ? change(source) : source)),
    )
  }

  /** One change at a time: each replaces the whole file. */
  #change(change: (sources: Source[]) => Source[]): Promise<void> {
    return this.#turns.run('sources', async () => {
      const sources = change(await this.#read())
      await this.#ports.file.write({ version: 1, sources })
      this.#sources = Promise.resolve(sources)
    })
  }

  #read(): Promise<Source[]> {
    this.#sources ??= this.#ports.file.read().then(file => file?.sources ?? [])
    return this.#sources
  }
}

/** A label such as `priority:10` says how urgent an issue is. */
function priorityIn(labels: readonly string[]): number {
  const [found] = labels.flatMap(label => /^priority: ?(-?\d{1,3})$/i.exec(label)?.[1] ?? [])
  return Math.max(-MAX_PRIORITY, Math.min(MAX_PRIORITY, Number(found ?? 0)))
}
