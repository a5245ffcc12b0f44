import type { Boards } from './boards.ts'
import type { BareRepository } from './git.ts'
import type { Rest } from './rest.ts'

/** Everything the fake knows: emulate's state by REST, and what emulate has no place for. */
export interface World {
  baseUrl: string
  rest: Rest
  boards: Boards
  /** By owner/name. */
  repositories: Map<string, BareRepository>
  /** Commit statuses by commit. */
  statuses: Map<
    string,
    { id: string; context: string; state: string; targetUrl: string | null; createdAt: string }[]
  >
  /** What emulate does not keep of a check run. */
  runs: Map<number, { app?: string; workflow?: string; status?: string; conclusion?: string; log?: string }>
  /** First comments of resolved review threads. */
  resolved: Set<number>
  /** Names of required checks. */
  required: Set<string>
  /** `owner/name#1` to the issues that block it, as `owner/name#2`. */
  blockedBy: Map<string, string[]>
  /** `owner/name#1` to where the issue was transferred: REST leads there, GraphQL only where `followed`. */
  transferred: Map<string, { full: string; number: number; followed: boolean }>
  /** Issues by GraphQL node id, once shown. */
  nodes: Map<string, { full: string; number: number }>
  /** False: the token lacks the scope for boards. */
  boardsVisible: boolean
  mergeabilityUnknown: boolean
  /** Repositories with a merge queue, and the pull requests in it by number. */
  mergeQueues: Map<string, Set<number>>
  /** What the real GitHub would not have served, or the fake cannot. */
  failures: string[]
}
