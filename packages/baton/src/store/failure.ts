import { BatonError } from '@batonpass/contract/errors'

/** Translates a database error into a BatonError with a remedy. Returns a BatonError unchanged. */
export function failure(error: unknown, where: string): BatonError {
  if (error instanceof BatonError) return error
  const code = codeOf(error)
  const text = error instanceof Error ? error.message : String(error)
  const known = explanations.find(([pattern]) => pattern.test(code))
  if (!known)
    return new BatonError('database_failed', `The journal in ${where} failed: ${text}`, {
      remedy:
        'See the whole error in daemon.log in the state folder; if it does not say what to do, please report it.',
      cause: error,
    })
  const [, kind, message, remedy] = known
  return new BatonError(kind, `${message(where)} (${code})`, { remedy: remedy(where), cause: error })
}

/** Runs work on a database and translates its errors. */
export const guardedIn =
  (where: string) =>
  async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw failure(error, where)
    }
  }

type Explanation = [
  code: RegExp,
  kind: 'database_failed' | 'disk_full',
  message: (where: string) => string,
  remedy: (where: string) => string,
]

const explanations: Explanation[] = [
  [
    /^SQLITE_FULL$|^SQLITE_IOERR_SHMSIZE$|^ENOSPC$|^EDQUOT$|^53100$/,
    'disk_full',
    where => `The disk that holds ${where} is full`,
    () => 'Free some space, or lower journal.retain. No recorded entry is lost.',
  ],
  [
    /^SQLITE_IOERR/,
    'database_failed',
    where => `${where} cannot be written or read`,
    () => 'Check the disk and its limits: df, quota, ulimit -f.',
  ],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    'database_failed',
    where => `${where} is damaged or is not a Baton journal`,
    where =>
      `Stop Baton (baton down), move the file away (mv '${where}' '${where}.damaged') and start again.`,
  ],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|^EACCES$|^EPERM$|^EROFS$/,
    'database_failed',
    where => `${where} cannot be written`,
    () => 'Check who owns the file and its folder, or point BATON_HOME at a folder of yours.',
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'database_failed',
    where => `${where} is locked by another program`,
    () => 'Close programs that have the journal open (a database viewer, a backup) and try again.',
  ],
  [
    /^SQLITE_CONSTRAINT_UNIQUE$|^SQLITE_CONSTRAINT_PRIMARYKEY$|^23505$/,
    'database_failed',
    where => `${where} already contains an entry for this hook call`,
    () => 'Read the recorded entry by its request id instead of recording it again.',
  ],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNRESET|EPIPE|57P0\d|08\d\d\d)$/,
    'database_failed',
    where => `${where} does not answer`,
    () =>
      'Check store.url and that the server is running. Baton keeps using its local journal in the meantime.',
  ],
  [
    /^28\w{3}$|^3D000$|^42501$/,
    'database_failed',
    where => `${where} refuses the connection`,
    () => 'Check the user, password and database in store.url, and that the user may create a schema.',
  ],
]

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  // A connection attempt over IPv4 and IPv6 fails with one error for each.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}
