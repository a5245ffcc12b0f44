import type { EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { z } from 'zod'
import type { Driver } from '../../ports/driver.ts'
import { readJsonFile } from '../../ports/json-files.ts'
import type { Reactor } from '../../ports/reactor.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { textOf } from '../../session/transcript/test-runs.ts'
import { digest } from '../workflows/evidence.ts'
import type { UnattendedJob } from './hung-turns.ts'

/** By the digest of a command: the digest of its last failing result, and how many times in a row it was the same. */
const Failures = z.record(z.string(), z.object({ result: z.string(), count: z.number().int().positive() }))
export type Failures = z.infer<typeof Failures>

/** Adds a finished command. A success, or another result, starts its count again. */
export function countFailure(
  known: Failures,
  { command, failed, output }: { command: string; failed: boolean; output: string },
): { failures: Failures; count: number } {
  const key = digest(command.replaceAll(/\s+/g, ' ').trim())
  const { [key]: before, ...others } = known
  if (!failed) return { failures: others, count: 0 }
  const result = digest(withoutTimes(output))
  const count = before?.result === result ? before.count + 1 : 1
  // The newest come last.
  const kept = Object.entries(others).slice(-(MAX_COMMANDS - 1))
  return { failures: { ...Object.fromEntries(kept), [key]: { result, count } }, count }
}

const MAX_COMMANDS = 50

/** Times, addresses and process numbers differ between results that are the same. */
const withoutTimes = (output: string): string =>
  output
    .replaceAll(/\x1b\[[0-9;]*m/g, '')
    .replaceAll(/\b\d+(?:[.,:]\d+)*\s*(?:ms|s|seconds?)\b/g, '0s')
    .replaceAll(/\b\d{1,2}:\d{2}(?::\d{2})?\b/g, '0:00')
    .replaceAll(/0x[0-9a-f]+|\b\d{4,}\b/gi, '0')

export interface RepeatedFailurePorts {
  jobOf(session: Session): Promise<UnattendedJob | undefined>
  driverAt(place: string): Pick<Driver, 'interrupt'> | undefined
  files: Pick<SmallFiles, 'read' | 'write' | 'remove'>
  stateDir: string
  fault(during: string, cause: unknown): void
}

/** Ends an unattended job whose agent repeats a command that fails the same way each time. */
export function repeatedFailures(ports: RepeatedFailurePorts): Reactor {
  const { files, stateDir, fault } = ports
  return {
    name: 'session',
    async react(event, { session, config }) {
      const max = config.handsoff.max_same_failures
      if (event.type !== 'ToolFinished' || event.action.kind !== 'shell' || max === 0) return undefined
      const { command } = event.action
      const output = textOf(event.response)
      const known = (await readJsonFile(files, stateDir, nameOf(session.id), Failures)) ?? {}
      if (!event.failed && Object.keys(known).length === 0) return undefined
      const { failures, count } = countFailure(known, { command, failed: event.failed, output })
      await files.write(stateDir, nameOf(session.id), JSON.stringify(failures), { hasty: true })
      if (count < max) return undefined
      const job = await ports.jobOf(session)
      if (job)
        void endJob(ports, session, job, evidenceOf(event, command, count, output)).catch(cause =>
          fault('ending a job that repeats a failure', cause),
        )
      return undefined
    },
  }
}

async function endJob(
  { files, stateDir, driverAt }: RepeatedFailurePorts,
  { id, pane, agent }: Session,
  job: UnattendedJob,
  reason: string,
): Promise<void> {
  await job.end(reason)
  await files.remove(stateDir, nameOf(id))
  if (pane !== undefined) await driverAt(pane)?.interrupt(pane, agent)
}

function evidenceOf(
  { tool }: EventOf<'ToolFinished'>,
  command: string,
  count: number,
  output: string,
): string {
  const lines = output.split('\n').map(line => line.trim())
  const last = lines.filter(Boolean).slice(-3).join(' | ').slice(0, 400)
  return `the same command failed ${count} times with the same result: ${tool} ${command.replaceAll(/\s+/g, ' ').slice(0, 200)}${last ? `: ${last}` : ''}`
}

const nameOf = (session: SessionId): string => `same-failures/${session}.json`
