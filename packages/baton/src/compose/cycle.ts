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
    'store' | 'driverAt' | 'session' | 'sessionsAt' | 'carryOver' | 'asks' | 'config' | 'fault' | 'paused'
  > {
  generation: HandoffGeneration
  files: HandoffFiles
  write(entries: readonly NewEntry[]): Promise<unknown>
}

/** Builds the automatic handoff of live sessions. */
export function composeCycle(parts: CycleParts): { cycles: Cycles; reactor: Reactor } {
  const { generation, files, write, ...ports } = parts
  const cycles = new Cycles({
    ...ports,
    documents: generation,
    // As the next session sees them: ids are made from the words.
    async read(project, name) {
      const { document } = await files.read(project, name)
      const ledger = await files.ledger(project, name)
      return { document: files.clean(document), ledger: ledger && files.clean(ledger) }
    },
    alive: pid => systemProcesses.alive(pid),
    async journal(about, body) {
      await write([newEntry(body, about)])
    },
    clock: systemClock,
    timers: systemTimers,
    ids: systemIds,
  })
  return { cycles, reactor: cycleReactor(cycles, generation, readLastMessage) }
}

/** Reads the agent's last message from the transcript. Copilot CLI writes it there shortly after the turn has ended. */
async function readLastMessage({ agent, transcript }: EventOf<'TurnEnded'>): Promise<string> {
  const transcripts = transcriptsOf(agent)
  for (let waited = 0; transcript && transcripts && waited <= MAX_WAIT_MS; waited += POLL_MS) {
    const text = (await transcripts.tail(transcript, MAX_TAIL_CHARS))?.text ?? ''
    const at = Math.max(text.lastIndexOf('\nassistant: '), text.startsWith('assistant: ') ? 0 : -1)
    // If the last line is a prompt, the reply has not been written yet.
    if (at > text.lastIndexOf('\nuser: ')) return text.slice(at)
    await new Promise<void>(resolve => systemTimers.after(POLL_MS, resolve))
  }
  return ''
}

const MAX_TAIL_CHARS = 8000
const MAX_WAIT_MS = 4000
const POLL_MS = 100
