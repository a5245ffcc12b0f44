import { createEmulator, type Emulator } from 'emulate'

/** The people of the fake world and their tokens. */
export const people = {
  dev: 'ghp_devdevdevdevdevdevdevdevdevdevdevdev1',
  reviewer: 'ghp_reviewerreviewerreviewerreviewer12',
  stranger: 'ghp_strangerstrangerstrangerstranger12',
} as const
export type Person = keyof typeof people

export const personOf = (token: string) =>
  (Object.keys(people) as Person[]).find(person => people[person] === token)

/** Each person has many tokens at emulate, which serves 5,000 calls an hour for each. */
const TOKENS = 100
const emulateToken = (person: Person, nth: number) => `${people[person]}-${nth % TOKENS}`

/** The REST side: emulate, reached directly by the fake itself and through the gate by everybody else. */
export interface Rest {
  url: string
  /** A token of a person for one call. */
  tokenOf(person: Person): string
  /** The answer's JSON; a refusal is a RestRefusal. */
  call<T>(method: string, path: string, body?: unknown, as?: Person): Promise<T>
  close(): Promise<void>
}

export class RestRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function startRest(baseUrl: string, repositories: readonly string[]): Promise<Rest> {
  const owners = [...new Set(repositories.map(name => name.split('/')[0] ?? ''))]
  const port = await freePort()
  const emulator: Emulator = await createEmulator({
    service: 'github',
    port,
    baseUrl,
    seed: {
      tokens: Object.fromEntries(
        (Object.keys(people) as Person[]).flatMap(login =>
          Array.from({ length: TOKENS }, (_, nth) => [
            emulateToken(login, nth),
            { login, scopes: ['repo', 'admin:repo_hook'] },
          ]),
        ),
      ),
      github: {
        users: Object.keys(people).map(login => ({ login, name: login, email: `${login}@example.com` })),
        orgs: owners.map(login => ({
          login,
          members: [
            { login: 'dev', role: 'admin' },
            { login: 'reviewer', role: 'admin' },
          ],
        })),
        repos: repositories.map(full => {
          const [owner, name] = full.split('/')
          return { owner, name, auto_init: false }
        }),
      },
    },
  })
  const url = `http://127.0.0.1:${port}`
  let calls = 0
  const tokenOf = (person: Person) => emulateToken(person, calls++)
  return {
    url,
    tokenOf,
    async call<T>(method: string, path: string, body?: unknown, as: Person = 'dev') {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `token ${tokenOf(as)}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok)
        throw new RestRefusal(response.status, `${method} ${path}: ${response.status} ${text}`)
      return (text ? JSON.parse(text) : undefined) as T
    },
    close: () => emulator.close(),
  }
}

/** emulate does not tell which port it took when asked for any. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

export interface RestUser {
  login: string
}
export interface RestIssue {
  id: number
  node_id: string
  number: number
  title: string
  body: string | null
  state: string
  html_url: string
  created_at: string
  author_association: string
  user: RestUser | null
  labels: { name: string }[]
  assignees: RestUser[]
  pull_request?: unknown
}
export interface RestPull extends RestIssue {
  draft: boolean
  merged: boolean
  merged_at: string | null
  head: { ref: string; sha: string; repo: { full_name: string } | null }
  base: { ref: string; sha: string }
  requested_reviewers?: RestUser[]
}
export interface RestComment {
  id: number
  node_id: string
  body: string
  user: RestUser | null
  author_association: string
  html_url: string
  created_at: string
  path?: string
  line?: number | null
  in_reply_to_id?: number | null
}
export interface RestReview {
  id: number
  node_id: string
  body: string | null
  state: string
  user: RestUser | null
  author_association?: string
  html_url: string
  submitted_at: string | null
  commit_id: string | null
}
export interface RestCheckRun {
  id: number
  node_id: string
  name: string
  status: string
  conclusion: string | null
  started_at: string | null
  html_url: string
  details_url: string | null
}
