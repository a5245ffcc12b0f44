import type { GateCall } from './gate.ts'
import type { Person, RestIssue, RestPull } from './rest.ts'
import { headOf } from './views.ts'
import type { World } from './world.ts'

interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

const repo = '/repos/[^/]+/[^/]+'
/** What emulate serves as the real one does. Anything else is refused, so that no test relies on a stub. */
const known: [string, RegExp][] = [
  ['GET', /^\/user$/],
  ['GET', new RegExp(`^${repo}$`)],
  ['GET', new RegExp(`^${repo}/issues$`)],
  ['POST', new RegExp(`^${repo}/issues$`)],
  ['GET', new RegExp(`^${repo}/issues/\\d+$`)],
  ['PATCH', new RegExp(`^${repo}/issues/\\d+$`)],
  ['GET', new RegExp(`^${repo}/issues/\\d+/comments$`)],
  ['POST', new RegExp(`^${repo}/issues/\\d+/comments$`)],
  ['POST', new RegExp(`^${repo}/issues/\\d+/assignees$`)],
  ['DELETE', new RegExp(`^${repo}/issues/\\d+/assignees$`)],
  ['POST', new RegExp(`^${repo}/issues/\\d+/labels$`)],
  ['GET', new RegExp(`^${repo}/pulls$`)],
  ['GET', new RegExp(`^${repo}/pulls/\\d+$`)],
  ['PATCH', new RegExp(`^${repo}/pulls/\\d+$`)],
  ['POST', new RegExp(`^${repo}/pulls/\\d+/reviews$`)],
  ['POST', new RegExp(`^${repo}/pulls/\\d+/comments$`)],
  ['POST', new RegExp(`^${repo}/pulls/\\d+/requested_reviewers$`)],
  ['GET', new RegExp(`^${repo}/labels$`)],
  ['POST', new RegExp(`^${repo}/labels$`)],
  ['PATCH', new RegExp(`^${repo}/labels/[^/]+$`)],
  ['GET', new RegExp(`^${repo}/check-runs/\\d+$`)],
  ['GET', new RegExp(`^${repo}/hooks$`)],
  ['POST', new RegExp(`^${repo}/hooks$`)],
]

export async function answerRest(world: World, call: GateCall, target: URL, person: Person): Promise<Answer> {
  const full = call.path.split('/').slice(2, 4).join('/')
  const own = (suffix: RegExp) => suffix.exec(call.path)?.[1]
  const log = own(/\/actions\/jobs\/(\d+)\/logs$/)
  if (log && call.method === 'GET') {
    if (world.runs.get(Number(log))?.log === undefined) return notFound
    return { status: 302, headers: { location: `${world.baseUrl}/_logs/${log}` } }
  }
  const moved = world.transferred.get(`${full}#${own(/\/issues\/(\d+)/) ?? ''}`)
  // GitHub's redirect covers the issue itself and nothing below it.
  if (moved && !/\/issues\/\d+$/.test(call.path)) return notFound
  if (moved && call.method === 'GET')
    return {
      status: 301,
      headers: { location: `${world.baseUrl}/repos/${moved.full}/issues/${moved.number}` },
    }
  const blocked = own(/\/issues\/(\d+)\/dependencies\/blocked_by$/)
  if (blocked && call.method === 'GET') return blockedBy(world, full, blocked)
  if (call.method === 'POST' && call.path === `/repos/${full}/pulls`)
    return openPull(world, full, call, person)
  const merged = own(/\/pulls\/(\d+)\/merge$/)
  if (merged && call.method === 'PUT') return mergePull(world, full, Number(merged), call, person)
  if (!known.some(([method, path]) => method === call.method && path.test(call.path))) {
    world.failures.push(`unknown route ${call.method} ${call.path}`)
    return notFound
  }
  const answer = await forward(world, call, target, person)
  if (answer.status === 200 && call.method === 'GET' && /\/pulls(\/\d+)?$/.test(call.path)) {
    const pulls = Array.isArray(answer.body) ? answer.body : [answer.body]
    const real = pulls.map((pull: RestPull) => followed(world, full, pull))
    return { ...answer, body: Array.isArray(answer.body) ? real : real[0] }
  }
  return answer
}

const notFound: Answer = { status: 404, body: { message: 'Not Found' } }

async function forward(world: World, call: GateCall, target: URL, person: Person): Promise<Answer> {
  const response = await fetch(`${world.rest.url}${call.path}${target.search}`, {
    method: call.method,
    headers: { authorization: `token ${world.rest.tokenOf(person)}`, 'content-type': 'application/json' },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  })
  const text = await response.text()
  const link = response.headers.get('link')
  return {
    status: response.status,
    body: text ? JSON.parse(text) : undefined,
    headers: link ? { link } : {},
  }
}

/** Lists do not say whether a pull request merges; an open one's head is where its branch is. */
function followed(world: World, full: string, pull: RestPull): unknown {
  const sha = headOf(world, full, pull)
  return { ...pull, mergeable: undefined, head: { ...pull.head, sha } }
}

async function blockedBy(world: World, full: string, number: string): Promise<Answer> {
  const list = world.blockedBy.get(`${full}#${number}`) ?? []
  const issues = list.map(async blocker => {
    const [home = '', n = ''] = blocker.split('#')
    const issue = await world.rest.call<RestIssue>('GET', `/repos/${home}/issues/${n}`)
    return { ...issue, repository_url: `${world.baseUrl}/repos/${home}` }
  })
  return { status: 200, body: await Promise.all(issues) }
}

/** GitHub merges only the head that the caller names, and one pull request once; the base moves for real. */
async function mergePull(
  world: World,
  full: string,
  number: number,
  call: GateCall,
  person: Person,
): Promise<Answer> {
  const { sha, merge_method: method } = call.body as { sha?: string; merge_method?: string }
  const bare = world.repositories.get(full)
  const pull = await world.rest.call<RestPull>('GET', `/repos/${full}/pulls/${number}`)
  const refused = (status: number, message: string): Answer => ({ status, body: { message } })
  if (world.mergeQueues.has(full)) return refused(405, 'Changes must be made through the merge queue')
  if (pull.state !== 'open' || pull.draft) return refused(405, 'Pull Request is not mergeable')
  if (sha && sha !== headOf(world, full, pull))
    return refused(409, 'Head branch was modified. Review and try the merge again.')
  if (!(await bare?.merges(pull.base.ref, pull.head.ref))) return refused(405, 'Pull Request has conflicts')
  await world.rest.call('PUT', `/repos/${full}/pulls/${number}/merge`, { merge_method: method }, person)
  const made = await bare?.merge(pull.base.ref, pull.head.ref, `Merge pull request #${number}`)
  return { status: 200, body: { merged: true, sha: made, message: 'Pull Request successfully merged' } }
}

/** emulate makes missing branches and second pull requests without a word; GitHub refuses both. */
function openPull(world: World, full: string, call: GateCall, person: Person): Promise<Answer> {
  // One after another: two at once must not both find that there is none yet.
  const turn = (turns.get(world) ?? Promise.resolve()).then(() => openOne(world, full, call, person))
  turns.set(
    world,
    turn.catch(() => {}),
  )
  return turn
}

const turns = new WeakMap<World, Promise<unknown>>()

async function openOne(world: World, full: string, call: GateCall, person: Person): Promise<Answer> {
  const { head = '', base = '', title = '' } = call.body as { head?: string; base?: string; title?: string }
  const invalid = (error: unknown): Answer => ({
    status: 422,
    body: { message: 'Validation Failed', errors: [error], status: '422' },
  })
  const bare = world.repositories.get(full)
  const branches = bare?.latest
  const branch = head.includes(':') ? head.slice(head.indexOf(':') + 1) : head
  const isFork = head.includes(':') && !head.startsWith(`${full.split('/')[0]}:`)
  if (!isFork) {
    const field = !branches?.has(branch) ? 'head' : !branches.has(base) ? 'base' : undefined
    if (field) return invalid({ resource: 'PullRequest', field, code: 'invalid' })
    const open = await world.rest.call<RestPull[]>('GET', `/repos/${full}/pulls?state=open&per_page=100`)
    if (open.some(pull => pull.head.ref === branch && pull.head.repo?.full_name === full)) {
      const message = `A pull request already exists for ${full.split('/')[0]}:${branch}.`
      return invalid({ resource: 'PullRequest', code: 'custom', message })
    }
    if ((await bare?.git('rev-list', '--count', `refs/heads/${base}..refs/heads/${branch}`)) === '0') {
      const message = `No commits between ${base} and ${branch}`
      return invalid({ resource: 'PullRequest', code: 'custom', message })
    }
  }
  if (title.length > 256) return invalid({ resource: 'PullRequest', field: 'title', code: 'too_long' })
  const answer = await forward(world, call, new URL(world.baseUrl), person)
  if (answer.status !== 201) return answer
  // Right after opening GitHub is still working out whether it merges.
  return { ...answer, body: { ...(answer.body as object), mergeable: null } }
}
