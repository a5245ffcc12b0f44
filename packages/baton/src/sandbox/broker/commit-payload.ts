/** What git asks to be signed for a commit: the commit object without its signature. */
export interface CommitPayload {
  tree: string
  parents: readonly string[]
  committer: { name: string; email: string; atMs: number }
  /** The first line of the message. */
  subject: string
}

const ID = '[0-9a-f]{40}(?:[0-9a-f]{24})?'
const PERSON = '([^<>\\n\\0]*) <([^<>\\n\\0]*)> (\\d{1,12}) [+-]\\d{4}'
/** Exactly the headers of a commit, in git's order: no tag, no push certificate and no unknown header gets a signature. */
const COMMIT = new RegExp(
  `^tree (${ID})\\n((?:parent ${ID}\\n)*)author ${PERSON}\\ncommitter ${PERSON}\\n(?:encoding [\\w.-]{1,40}\\n)?\\n`,
)
const MOST_PARENTS = 16

/** Undefined if the text is not exactly a commit object. */
export function parseCommitPayload(text: string): CommitPayload | undefined {
  const match = COMMIT.exec(text)
  if (!match || text.includes('\0')) return undefined
  const [head = '', tree = '', parents = '', , , , name = '', email = '', seconds = ''] = match
  const ids = parents.split('\n').flatMap(line => (line === '' ? [] : [line.slice('parent '.length)]))
  if (ids.length > MOST_PARENTS) return undefined
  const [subject = ''] = text.slice(head.length).split('\n')
  return { tree, parents: ids, committer: { name, email, atMs: Number(seconds) * 1000 }, subject }
}

/** A commit is signed when it is made. */
const LATEST_MS = 10 * 60_000

/** Why a commit gets no signature; undefined if nothing speaks against it. */
export function whyNotSigned(
  { committer }: CommitPayload,
  user: { name?: string | undefined; email?: string | undefined },
  nowMs: number,
): string | undefined {
  if (committer.name !== user.name || committer.email !== user.email)
    return `the committer is ${committer.name} <${committer.email}>, not the user`
  return Math.abs(nowMs - committer.atMs) > LATEST_MS ? 'its date is not now' : undefined
}
