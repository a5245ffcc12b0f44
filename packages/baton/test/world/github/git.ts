import { execFile, spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { plainGit } from '../scratch.ts'
import type { Rest } from './rest.ts'

const run = promisify(execFile)

/** A real bare repository, whose branches and commits emulate is told about. */
export interface BareRepository {
  path: string
  git(...args: string[]): Promise<string>
  /** Branch name to commit id, as it is now. */
  branches(): Promise<Map<string, string>>
  /** The same as of the last sync, which every API call begins with. */
  latest: ReadonlyMap<string, string>
  /** Tells emulate what was pushed since the last time. */
  sync(): Promise<void>
  /** Whether head merges into base without conflict. */
  merges(base: string, head: string): Promise<boolean>
  /** Merges for real and moves the base. */
  merge(base: string, head: string, message: string): Promise<string>
  /** Commits files onto a branch, made from main if it is new; as if someone had pushed. */
  commit(branch: string, files: Record<string, string>, message?: string): Promise<string>
}

export async function bareRepository(folder: string, fullName: string, rest: Rest): Promise<BareRepository> {
  const path = join(folder, `${fullName}.git`)
  const who = { NAME: 'Dev', EMAIL: 'dev@example.com' }
  const env = {
    ...process.env,
    ...plainGit,
    GIT_AUTHOR_NAME: who.NAME,
    GIT_AUTHOR_EMAIL: who.EMAIL,
    GIT_COMMITTER_NAME: who.NAME,
    GIT_COMMITTER_EMAIL: who.EMAIL,
  }
  const git = async (...args: string[]) =>
    (await run('git', ['-C', path, ...args], { env, maxBuffer: 50_000_000 })).stdout.trimEnd()
  // Without a template: sample hooks cost more than all the rest.
  await run('git', ['init', '-q', '--bare', '--template=', '-b', 'main', path], { env })
  const api = `/repos/${fullName}/git`
  const told = new Map<string, string>()
  const known = new Set<string>()
  let commits = 0
  let pending: Promise<void> = Promise.resolve()

  const feed = (stream: string) =>
    new Promise<void>((resolve, reject) => {
      const args = ['-C', path, 'fast-import', '--quiet', '--force', '--date-format=raw']
      const child = execFile('git', args, { env }, error => (error ? reject(error) : resolve()))
      child.stdin?.end(stream)
    })

  async function branches() {
    const list = await git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads')
    return new Map(list.split('\n').flatMap(line => (line ? [line.split(' ') as [string, string]] : [])))
  }

  async function syncNow(): Promise<void> {
    const now = await branches()
    bare.latest = now
    for (const [branch, sha] of now) {
      if (told.get(branch) === sha) continue
      await tellCommits(sha)
      if (told.has(branch)) await rest.call('PATCH', `${api}/refs/heads/${branch}`, { sha, force: true })
      else await rest.call('POST', `${api}/refs`, { ref: `refs/heads/${branch}`, sha })
      told.set(branch, sha)
    }
    for (const branch of told.keys()) {
      if (now.has(branch)) continue
      await rest.call('DELETE', `${api}/refs/heads/${branch}`)
      told.delete(branch)
    }
  }

  /** emulate computes real git ids, so the same content gives the same commits there. */
  async function tellCommits(tip: string): Promise<void> {
    const list = await git('rev-list', '--reverse', '--topo-order', tip)
    for (const sha of list.split('\n')) {
      if (known.has(sha)) continue
      const entries = (await git('ls-tree', '-r', '-z', sha)).split('\0').filter(Boolean)
      const tree: unknown[] = []
      for (const entry of entries) {
        const [facts = '', name = ''] = entry.split('\t')
        const [mode = '', type = '', blob = ''] = facts.split(' ')
        if (!known.has(blob)) {
          const options = { env, encoding: 'buffer', maxBuffer: 50_000_000 } as const
          const { stdout } = await run('git', ['-C', path, 'cat-file', 'blob', blob], options)
          await rest.call('POST', `${api}/blobs`, { content: stdout.toString('base64'), encoding: 'base64' })
          known.add(blob)
        }
        tree.push({ path: name, mode, type, sha: blob })
      }
      const made = await rest.call<{ sha: string }>('POST', `${api}/trees`, { tree })
      const format = '%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%P%x00%B'
      const facts = (await git('show', '-s', `--format=${format}`, sha)).split('\0')
      const [an, ae, ad, cn, ce, cd, parents = '', message = ''] = facts
      const commit = await rest.call<{ sha: string }>('POST', `${api}/commits`, {
        message,
        tree: made.sha,
        parents: parents.split(' ').filter(Boolean),
        author: { name: an, email: ae, date: ad },
        committer: { name: cn, email: ce, date: cd },
      })
      if (commit.sha !== sha) throw new Error(`emulate made ${commit.sha} of commit ${sha}`)
      known.add(sha)
    }
  }

  const sync = () => {
    // One after another: two syncs at once would announce a branch twice.
    pending = pending.catch(() => {}).then(syncNow)
    return pending
  }

  async function mergedTree(base: string, head: string): Promise<string | undefined> {
    try {
      return (await git('merge-tree', '--write-tree', base, head)).split('\n')[0]
    } catch (error) {
      if ((error as { code?: unknown }).code === 1) return undefined
      throw error
    }
  }

  const bare: BareRepository = {
    path,
    latest: new Map(),
    git,
    branches,
    sync,
    merges: async (base, head) => (await mergedTree(base, head)) !== undefined,
    async merge(base, head, message) {
      const tree = await mergedTree(base, head)
      if (!tree) throw new Error(`${head} conflicts with ${base}`)
      const sha = await git('commit-tree', tree, '-p', base, '-p', head, '-m', message)
      await git('update-ref', `refs/heads/${base}`, sha)
      await sync()
      return sha
    },
    async commit(branch, files, message = 'Change') {
      const refs = await branches()
      const parent = refs.get(branch) ?? refs.get('main')
      const from = parent ? `from ${parent}\n` : ''
      const changes = Object.entries(files).map(
        ([name, text]) =>
          `M 100644 inline ${JSON.stringify(name)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      )
      const stamp = `${who.NAME} <${who.EMAIL}> ${1_767_225_600 + commits++} +0000`
      const said = `data ${Buffer.byteLength(message) + 1}\n${message}\n\n`
      await feed(`commit refs/heads/${branch}\ncommitter ${stamp}\n${said}${from}${changes.join('')}\n`)
      await sync()
      return bare.latest.get(branch) ?? ''
    },
  }
  await bare.commit('main', { 'README.md': `# ${fullName}\n` }, 'Begin')
  return bare
}

/** git-over-HTTP by git's own program, so that `git push` to the fake's address is a real push. */
export function serveGit(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  user: string,
  served: () => Promise<void> = async () => {},
): void {
  const url = new URL(request.url ?? '/', 'http://git')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      ...plainGit,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.receivepack',
      GIT_CONFIG_VALUE_0: 'true',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: user,
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  let head: Buffer | undefined = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    if (!head) {
      response.write(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const headers = head.subarray(0, end).toString().split('\r\n')
    const status = headers.find(line => /^status:/i.test(line))?.replace(/^status:\s*/i, '')
    response.statusCode = Number.parseInt(status ?? '200', 10)
    for (const line of headers) {
      const colon = line.indexOf(':')
      if (!/^status:/i.test(line)) response.setHeader(line.slice(0, colon), line.slice(colon + 1).trim())
    }
    response.write(head.subarray(end + 4))
    head = undefined
  })
  child.on('close', () => void served().finally(() => response.end()))
}
