import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import type { WorkflowPorts } from './ports.ts'

/** What an event happened in. */
export interface RunContext {
  session: { id: SessionId; pane?: string | undefined; transcript?: string | undefined }
  project: string
  config: Config
  now: number
}

/** What hands-off mode says to a stop. */
export interface StopAnswer {
  /** The agent goes on with this. */
  prompt?: string
  /** One line in its place when somebody else's prompt is sent. */
  note?: string
  /** The agent stops by a person's or a limit's will, which others must not overrule. */
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
