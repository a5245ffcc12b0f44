import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anthropic } from '../dialects/anthropic.ts'
import type { Model } from '../model.ts'
import { gitRepo, plainGit, type Repository, type Scratch, scratch } from '../scratch.ts'
import { call } from '../turn.ts'
import type { RealAgent } from './real.ts'

/** A private HOME for Claude Code with one trusted project folder. */
export interface ClaudeHome extends AsyncDisposable {
  path: string
  project: string
  /** Its TMPDIR, where Claude Code keeps the output of background tasks. */
  tmp: string
  /** Unique to this home: `model.script({ key: home.key }, …)` serves only its sessions. */
  key: string
  /** The whole environment of a run; nothing of the test process leaks in but PATH. */
  env: (model: Model) => Record<string, string>
  /** Lets Claude Code work in one more folder without its trust dialog. */
  trust: (folder: string) => void
  /** Changes ~/.claude.json, e.g. `messageIdleNotifThresholdMs`. */
  configure: (patch: Record<string, unknown>) => void
  writeSettings: (scope: 'user' | 'project' | 'local', settings: object) => string
  /** Makes the project a git repository (once). */
  git: () => Promise<Repository>
  transcriptPath: (session: string, cwd?: string) => string
  /** The rows of a session's transcript; empty while there is none. */
  transcript: (session: string, cwd?: string) => TranscriptRow[]
  sessions: (cwd?: string) => string[]
  remove: () => void
}

export type TranscriptRow = Record<string, unknown> & { type?: string; message?: Record<string, unknown> }

export interface ClaudeHomeOptions {
  /** Put into ~/.claude.json. */
  config?: Record<string, unknown>
  env?: Record<string, string>
}

export function claudeHome({ config = {}, env: extra = {} }: ClaudeHomeOptions = {}): ClaudeHome {
  const folder: Scratch = scratch('bc-')
  const path = join(folder.path, 'home')
  const project = join(folder.path, 'project')
  const tmp = join(folder.path, 'tmp')
  for (const each of [path, project, tmp]) mkdirSync(each)
  const key = `sk-ant-test-${randomBytes(16).toString('hex')}`

  const configFile = join(path, '.claude.json')
  const configure = (patch: Record<string, unknown>) => {
    const current = existsSync(configFile) ? JSON.parse(readFileSync(configFile, 'utf8')) : {}
    writeFileSync(configFile, JSON.stringify({ ...current, ...patch }, null, 2), { mode: 0o600 })
  }
  const trust = (trusted: string) => {
    const { projects = {} } = JSON.parse(readFileSync(configFile, 'utf8'))
    const accepted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    configure({ projects: { ...projects, [trusted]: accepted } })
  }
  configure({ ...firstConfig(key), ...config })
  trust(project)

  const projectFolder = (cwd: string) =>
    join(path, '.claude', 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'))
  const transcriptPath = (session: string, cwd = project) => join(projectFolder(cwd), `${session}.jsonl`)
  let repository: Promise<Repository> | undefined

  return {
    path,
    project,
    tmp,
    key,
    env: model => ({
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: path,
      TMPDIR: tmp,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      ...plainGit,
      ...quietEnvironment(model.url, key),
      ...extra,
    }),
    trust,
    configure,
    writeSettings: (scope, settings) => {
      const home = join(scope === 'user' ? path : project, '.claude')
      mkdirSync(home, { recursive: true })
      const file = join(home, scope === 'local' ? 'settings.local.json' : 'settings.json')
      writeFileSync(file, JSON.stringify(settings, null, 2))
      return file
    },
    git: () => {
      repository ??= gitRepo(project)
      return repository
    },
    transcriptPath,
    transcript: (session, cwd) => {
      const file = transcriptPath(session, cwd)
      if (!existsSync(file)) return []
      return wholeLines(readFileSync(file, 'utf8')).map(line => JSON.parse(line))
    },
    sessions: (cwd = project) => {
      const home = projectFolder(cwd)
      if (!existsSync(home)) return []
      return readdirSync(home)
        .filter(name => name.endsWith('.jsonl'))
        .map(name => name.slice(0, -'.jsonl'.length))
    },
    remove: folder.remove,
    [Symbol.asyncDispose]: async () => folder.remove(),
  }
}

/** What ~/.claude.json must hold before the first start, besides the folders that are trusted. */
const firstConfig = (key: string) => ({
  hasCompletedOnboarding: true,
  bypassPermissionsModeAccepted: true,
  // The key is recognised by its tail; an unapproved one brings a dialog.
  customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
})

const quietEnvironment = (url: string, key: string) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: key,
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '1',
  // Of itself it lets go of a SessionEnd hook after a second and a half, which a busy machine may need to begin it.
  CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '30000',
})

/** Claude Code among the agents that one scenario runs against. */
export const claudeCode: RealAgent = {
  name: 'claude-code',
  dialect: anthropic,
  setUp({ home, project, key }) {
    const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } }
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ ...firstConfig(key), projects }), {
      mode: 0o600,
    })
  },
  env: ({ url, key }) => quietEnvironment(url, key),
  oneTry: { CLAUDE_CODE_MAX_RETRIES: '0' },
  headless: ({ prompt, resume }) => [
    '-p',
    ...['--permission-mode', 'default'],
    ...(resume === undefined ? [] : ['--resume', resume]),
    '--',
    prompt,
  ],
  interactive: ['--permission-mode', 'bypassPermissions'],
  shell: command => call('Bash', { command }),
  read: path => call('Read', { file_path: path }),
}

// The last line may still be in the writing.
function wholeLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
}
