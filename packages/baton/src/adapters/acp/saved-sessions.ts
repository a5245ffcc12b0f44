import { AgentName } from '@batonpass/contract/event'
import { NativeId } from '@batonpass/contract/ids'
import { z } from 'zod'
import type { SmallFiles } from '../../ports/small-files.ts'

export const HOSTED_PLACE = /^hosted [0-9a-z]{12}$/

/** What Baton needs to restart a hosted session: the agent ends with its host process, but the work should continue. */
const SavedSession = z.object({
  place: z.string().regex(HOSTED_PLACE),
  agent: AgentName,
  launch: z.object({
    program: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).default({}),
  }),
  tools: z.object({ name: z.string(), command: z.string(), args: z.array(z.string()) }).optional(),
  cwd: z.string(),
  title: z.string(),
  /** The environment of the user who started it, including API keys, without which the agent cannot work. */
  env: z.record(z.string(), z.string()).default({}),
  nativeSession: NativeId.optional(),
  pid: z.number().int().positive().optional(),
  born: z.string().optional(),
  /** Whether a turn was running. */
  working: z.boolean().default(false),
  /** How often it was restarted without finishing a turn. */
  revivals: z.number().int().nonnegative().default(0),
  seenAt: z.number(),
})
export type SavedSession = z.infer<typeof SavedSession>

export interface SavedSessions {
  put(session: SavedSession): Promise<void>
  remove(place: string): Promise<void>
  all(): Promise<SavedSession[]>
}

const FOLDER = 'hosted'
/** An environment may be large, but a file larger than this was not written by Baton. */
const LIMIT = 4_000_000

/** One private file per session in Baton's state folder. */
export function savedSessions(
  files: Pick<SmallFiles, 'read' | 'write' | 'remove' | 'list'>,
  stateDir: string,
): SavedSessions {
  const nameOf = (place: string) => `${FOLDER}/${place.replace(/^hosted /, '')}.json`
  return {
    put: session => files.write(stateDir, nameOf(session.place), JSON.stringify(session), { hasty: true }),
    async remove(place) {
      await files.remove(stateDir, nameOf(place))
    },
    async all() {
      const names = await files.list(stateDir, FOLDER)
      const found = await Promise.all(
        names.map(({ name }) => files.read(stateDir, `${FOLDER}/${name}`, LIMIT)),
      )
      return found.flatMap(each => (each.kind === 'text' ? (parsed(each.text) ?? []) : []))
    },
  }
}

function parsed(text: string): SavedSession | undefined {
  try {
    return SavedSession.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
