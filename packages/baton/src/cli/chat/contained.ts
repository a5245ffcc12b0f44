import type { AgentName } from '@batonpass/contract/event'
import { Contained, type ContainRequest } from '@batonpass/contract/hosted'
import type { AcpLaunch } from '../../ports/launch.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'
import { handedOn } from '../started-environment.ts'

/** An agent that runs in the sandbox as a whole, as the daemon prepared it. */
export interface ContainedAgent {
  /** Names its sandbox. */
  sandbox: string
  /** Starts in place of the agent's own program. */
  launch: AcpLaunch
  /** Throws if the agent inside names a conversation that is not its own. */
  began(conversation: { nativeSession: string; pid: number }): Promise<void>
  /** Ends everything inside. */
  ended(): Promise<void>
}

/** The sandbox's first start finds out what this machine can do. */
const PREPARED_MS = 60_000
const END_MS = 15_000

export async function containAgent(agent: AgentName, launch: AcpLaunch, io: Io): Promise<ContainedAgent> {
  const folder = folderOf(io)
  const body: ContainRequest = { agent, cwd: io.cwd, env: handedOn(io.env) }
  const answer = await callDaemon(folder, 'POST', '/api/contained', PREPARED_MS, { body })
  const { sandbox, program, args } = Contained.parse(answer)
  const path = `/api/contained/${sandbox}`
  return {
    sandbox,
    launch: { ...launch, program, args },
    async began(conversation) {
      await callDaemon(folder, 'POST', path, END_MS, { body: conversation })
    },
    async ended() {
      // Without a daemon, its sandbox ends when the next one looks for processes in it.
      await callDaemon(folder, 'DELETE', path, END_MS).catch(() => {})
    },
  }
}
