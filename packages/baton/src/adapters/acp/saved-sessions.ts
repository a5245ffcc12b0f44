import { AgentName } from '@batonpass/contract/event'
import { NativeId } from '@batonpass/contract/ids'
import { z } from 'zod'
import type { SmallFiles } from '../../ports/small-files.ts'

export const HOSTED_PLACE = /^hosted [0-9a-z]{12}$/

/** What it takes to start a hosted session again: it ends with the process that hosts it, and the work should not. */
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
  /** The environment of whoever started it, keys included: the agent cannot work without them. */
  env: z.record(z.string(), z.string()).default({}),
  nativeSession: NativeId.optional(),
  pid: z.number().int().positive().optional(),
  born: z.string().optional(),
  /** A turn was under way. */
  working: z.boolean().default(false),
  /** How often it was started again without a turn that came to its end. */
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
/** An environment may be large; what is larger than this is no file of ours. */
const LIMIT = 4_000_000

/** One private file each in Baton's state folder. */
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
