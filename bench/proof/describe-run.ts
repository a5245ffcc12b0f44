import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { BatonHere } from '../../packages/baton/test/world/baton.ts'
import type { Repository } from '../../packages/baton/test/world/scratch.ts'

const MAX_ENTRIES = 60
const MAX_LINE = 600
const MAX_LOG = 4000

/**
 * All that is known about a run that did not end as it should: Baton's records, the journal and the log of the daemon, git, what
 * the agent printed last, and what still runs in its folder. Each part on its own, because any of them may be missing.
 */
export async function describeRun(baton: BatonHere, project: Repository, printed: string): Promise<string> {
  const cwd = project.path
  const parts: [string, () => string | Promise<string>][] = [
    ["Baton's record of the run", () => recordsOf(join(baton.stateDir, 'workflow'), cwd)],
    ['its proofs', () => recordsOf(join(baton.stateDir, 'proof'), cwd)],
    ['the state file', () => textFiles(join(cwd, '.tmp'))],
    ['the journal', () => journalOf(baton, cwd)],
    [
      'git',
      async () => `${await project.git('log', '--oneline', '-3')}\n${await project.git('status', '-sb')}`,
    ],
    ['processes in its folder', () => processesIn(cwd)],
    ['what the agent printed last', () => printed.slice(-MAX_LOG)],
    ['daemon.log', () => readFileSync(join(baton.stateDir, 'daemon.log'), 'utf8').slice(-MAX_LOG)],
  ]
  const described: string[] = []
  for (const [title, read] of parts) {
    const text = await Promise.resolve()
      .then(read)
      .catch((cause: Error) => `cannot be read: ${cause.message}`)
    described.push(`--- ${title}\n${text.trim() || 'nothing'}\n`)
  }
  return described.join('')
}

function recordsOf(folder: string, cwd: string): string {
  const records = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  return records.filter(text => text.includes(JSON.stringify(cwd))).join('\n')
}

const textFiles = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(({ name, parentPath }) => `${name}: ${readFileSync(join(parentPath, name), 'utf8').slice(-MAX_LOG)}`)
    .join('\n')

/** Entries of this project, and those about no project, such as faults. */
async function journalOf(baton: BatonHere, cwd: string): Promise<string> {
  const all = (await baton.entries()).filter(({ project }) => project === cwd || !project)
  const lines = all.map(({ at, body }) => `${at} ${JSON.stringify(body).slice(0, MAX_LINE)}`)
  return lines.slice(-MAX_ENTRIES).join('\n')
}

function processesIn(cwd: string): string {
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name)))
    try {
      if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(cwd)) continue
      found.push(`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 300)}`)
    } catch {
      // It ended meanwhile, or belongs to another user.
    }
  return found.join('\n')
}
