import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import type { WorkflowPorts } from './ports.ts'

/** The session, project and configuration in which an event happened. */
export interface RunContext {
  session: { id: SessionId; pane?: string | undefined; transcript?: string | undefined }
  project: string
  config: Config
  now: number
}

/** The answer of hands-off mode to a stop. */
export interface StopAnswer {
  /** The agent continues with this prompt. */
  prompt?: string
  /** One line that replaces the prompt when another capability's prompt is sent. */
  note?: string
  /** A person or a limit stops the agent; other capabilities must not override this. */
  stop?: { by: 'person' | 'limit'; reason: string }
  notice?: string
}

export async function debug(
  { files }: Pick<WorkflowPorts, 'files'>,
  { config, now }: RunContext,
  root: string,
  native: string,
  message: string,
): Promise<void> {
  if (config.handsoff.debug) await files.debug(root, native, now, message)
}
