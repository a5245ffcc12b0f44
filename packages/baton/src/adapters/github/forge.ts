import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import { type BoardPlace, ForgeError } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import { BoardKeeper } from './board.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import { issues } from './issues.ts'
import { checkLog } from './log.ts'
import { pullRequests } from './pulls.ts'
import { boardSetter } from './set-on-board.ts'
import { ensureBoard } from './setup.ts'
import { apiUrlOf } from './token.ts'

export interface GitHubOptions extends Omit<ConnectionOptions, 'apiUrl' | 'userAgent'> {
  repository: RepositoryRef
  clock: Clock
  /** From `tokenFor`. */
  token: string
  /** Only needed if it cannot be derived from the host. */
  apiUrl?: string
  /** Undefined: the repository's only board. */
  board?: BoardPlace
  userAgent?: string
}

/** A repository on GitHub or GitHub Enterprise. */
export async function gitHub(options: GitHubOptions): Promise<WritableForge> {
  const { repository, clock } = options
  if (
    !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(repository.owner) ||
    !/^[A-Za-z0-9_.-]{1,100}$/.test(repository.name)
  ) {
    throw new ForgeError(
      'refused',
      `${repository.owner}/${repository.name} is not a valid name of a GitHub repository`,
      {
        remedy: 'Check the address of the remote with `git remote -v`.',
      },
    )
  }
  let offset: number | undefined
  const connection = await connect({
    ...options,
    onTime(ahead) {
      offset = ahead
      options.onTime?.(ahead)
    },
    apiUrl: options.apiUrl ?? apiUrlOf(repository.host),
    userAgent: options.userAgent ?? 'batonpass',
  })
  const boards = new BoardKeeper(connection, repository, clock, options.board)
  let me: Promise<string> | undefined

  return {
    repository,
    me() {
      me ??= connection
        .query(
          'query BatonViewer { viewer { login } }',
          {},
          z.object({ viewer: z.object({ login: z.string() }) }),
        )
        .then(({ viewer }) => viewer.login)
        .catch((error: unknown) => {
          me = undefined
          throw error
        })
      return me
    },
    clockOffset: () => offset,
    ...issues(connection, repository, boards),
    ...pullRequests(connection, repository, boards),
    checkLog: (check, limit = {}) => checkLog(connection, repository, check, limit),
    board: () => boards.board(),
    boardItems: () => boards.boardItems(),
    setOnBoard: boardSetter(connection, boards),
    ensureBoard: plan => ensureBoard(connection, repository, boards, plan),
  }
}
