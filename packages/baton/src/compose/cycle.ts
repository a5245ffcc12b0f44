import type { EventOf } from '@batonpass/contract/event'
import type { NewEntry } from '@batonpass/contract/journal'
import { transcriptsOf } from '../adapters/agents/readers.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { systemProcesses } from '../adapters/system/processes.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { Cycles } from '../handoff/cycle/cycles.ts'
import type { CyclePorts } from '../handoff/cycle/ports.ts'
import { cycleReactor } from '../handoff/cycle/reactor.ts'
import type { HandoffFiles } from '../handoff/handoff-files.ts'
import type { HandoffGeneration } from '../handoff/write/generation.ts'
import type { Reactor } from '../ports/reactor.ts'
import { newEntry } from './new-entry.ts'

export interface CycleParts
  extends Pick<
    CyclePorts,
    'store' | 'driverAt' | 'session' | 'sessionsAt' | 'carryOver' | 'asks' | 'config' | 'fault'
  > {
  generation: HandoffGeneration
  files: HandoffFiles
  write(entries: readonly NewEntry[]): Promise<unknown>
}

/** The automated handoff of live sessions, with everything it needs of the world. */
export function composeCycle(parts: CycleParts): { cycles: Cycles; reactor: Reactor } {
  const { generation, files, write, ...ports } = parts
  const cycles = new Cycles({
    ...ports,
    documents: generation,
    read: (project, document) => files.read(project, document),
    alive: pid => systemProcesses.alive(pid),
    async journal(about, body) {
      await write([newEntry(body, about)])
    },
    clock: systemClock,
    timers: systemTimers,
    ids: systemIds,
  })
  return { cycles, reactor: cycleReactor(cycles, generation, lastWords) }
}

/** Copilot CLI ends a turn without its last words: they stand in its transcript, a moment later. */
async function lastWords({ agent, transcript }: EventOf<'TurnEnded'>): Promise<string> {
  const transcripts = transcriptsOf(agent)
  for (let waited = 0; transcript && transcripts && waited <= WRITTEN_MS; waited += LOOK_AGAIN_MS) {
    const text = (await transcripts.tail(transcript, LAST_WORDS))?.text ?? ''
    const at = Math.max(text.lastIndexOf('\nassistant: '), text.startsWith('assistant: ') ? 0 : -1)
    // What follows a prompt and no reply was not written down yet.
    if (at > text.lastIndexOf('\nuser: ')) return text.slice(at)
    await new Promise<void>(resolve => systemTimers.after(LOOK_AGAIN_MS, resolve))
  }
  return ''
}

const LAST_WORDS = 8000
const WRITTEN_MS = 4000
const LOOK_AGAIN_MS = 100
