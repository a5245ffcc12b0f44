import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { systemAppendFiles } from '../../src/adapters/system/append-files.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { listSessions } from '../../src/chat/session-file/list-sessions.ts'
import { SessionManager } from '../../src/chat/session-file/session-manager.ts'
import { sessionFolder } from '../../src/chat/session-file/session-paths.ts'
import { readSignal } from '../../src/claim/signal-file.ts'
import { importSession } from '../../src/cli/import/session-files.ts'
import { main } from '../../src/cli/main.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { loadConfig } from '../../src/config/load.ts'
import { HandoffMemory } from '../../src/handoff/write/handoff-memory.ts'
import { PAW_PLANS } from '../work/packs/paw/plans.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

/** A person's machine with a project, and `baton import` there. */
async function machine(env: Record<string, string> = {}) {
  const folder = scratch()
  const repo = await gitRepo()
  const home = join(folder.path, 'home')
  const state = join(folder.path, 'state')
  mkdirSync(home)
  let stdout = ''
  const io = {
    stdin: new PassThrough(),
    stdout: {
      write: (text: string) => {
        stdout += text
      },
    },
    stderr: {
      write: (text: string) => {
        stdout += text
      },
    },
    env: { BATON_HOME: state, PATH: '/nowhere', ...env },
    cwd: repo.path,
    home,
    isTTY: false,
    signal: new AbortController().signal,
  }
  return {
    io,
    home,
    state,
    project: repo.path,
    inHome: (name: string, text: string) => folder.write(`home/${name}`, text),
    write: (name: string, text: string) => repo.write(name, text),
    read: (name: string) => readFileSync(join(repo.path, name), 'utf8'),
    has: (name: string) => existsSync(join(repo.path, name)),
    async import(...words: string[]) {
      stdout = ''
      const code = await main(['import', ...words], COMMANDS, io)
      return { code, stdout }
    },
    config: async () =>
      (await loadConfig({ project: repo.path, env: {}, home, stateDir: state }, { files: systemFiles }))
        .config,
    [Symbol.asyncDispose]: async () => {
      repo.remove()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('baton import', () => {
  it('finds nothing on a machine without other systems', async () => {
    await using at = await machine()
    expect(await at.import()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to import here'),
    })
  })

  it('shows the settings of agentize first, and writes them without the keys that Baton ignores after a yes', async () => {
    await using at = await machine()
    at.write(
      '.agentize.local.yaml',
      '# mine\nhandsoff:\n  max_continuations: 7 # enough\nserver:\n  period: 5m\nworkflows:\n  impl:\n    model: opus\n',
    )
    at.write('.agentize.yaml', 'project:\n  org: acme\n  id: 3\n')
    const shown = await at.import('agentize')
    expect(shown.stdout).toContain('Left out: Baton ignores agentize')
    expect(shown.stdout).toContain('Nothing was written. To write it: baton import --yes')
    expect(at.has('.baton.yaml')).toBe(false)
    await at.import('agentize', '--yes')
    expect(at.read('.baton.yaml')).toBe(
      '# mine\nhandsoff:\n  max_continuations: 7 # enough\nboard:\n  owner: acme\n  number: 3\n',
    )
    expect((await at.config()).handsoff.max_continuations).toBe(7)
    expect(at.has('.agentize.local.yaml')).toBe(true)
    expect((await at.import('agentize')).stdout).toContain('.baton.yaml comes first')
  })

  it('takes running sessions of agentize along to the folder where Baton looks for them', async () => {
    await using at = await machine()
    const state = (word: string) =>
      JSON.stringify({ workflow: 'issue-to-impl', state: word, continuation_count: 2, issue_no: 42 })
    at.write('.tmp/hooked-sessions/abc.json', state('initial'))
    at.write('.tmp/hooked-sessions/old.json', state('done'))
    await at.import('agentize', '--yes')
    expect(readFileSync(join(at.state, '.tmp/hooked-sessions/abc.json'), 'utf8')).toBe(state('initial'))
    expect(existsSync(join(at.state, '.tmp/hooked-sessions/old.json'))).toBe(false)
  })

  it('lists PAW’s work items, which stay where they are, with their real progress', async () => {
    await using at = await machine()
    for (const [id, plan] of PAW_PLANS) {
      at.write(`.paw/work/${id}/WorkflowContext.md`, `Work Title: ${id}\nReview Policy: milestones\n`)
      at.write(`.paw/work/${id}/ImplementationPlan.md`, plan)
    }
    const { stdout } = await at.import('paw', '--yes')
    for (const [id, , done] of PAW_PLANS) {
      const [some, all] = done.split('/')
      expect(stdout).toMatch(
        new RegExp(`${id} is used where it is: [^\\n]*${some} of ${all} phases done, semi-auto mode`),
      )
    }
    expect(stdout).toContain('Nothing has to be written.')
  })

  it('copies the sessions of oh-my-pi, of any version, for baton chat', async () => {
    await using at = await machine()
    const folder = sessionFolder(join('.omp', 'agent'), at.project)
    const first = { type: 'session', id: 'old', timestamp: '2026-01-01T00:00:00.000Z', cwd: at.project }
    const said = {
      type: 'message',
      timestamp: '2026-01-01T00:00:01.000Z',
      message: { role: 'user', content: 'Fix the login' },
    }
    const rows = (...all: object[]) => all.map(row => `${JSON.stringify(row)}\n`).join('')
    at.inHome(`${folder}/2026-01-01T00-00-00-000Z_old.jsonl`, rows(first, said))
    at.inHome(
      `${folder}/2026-01-02T00-00-00-000Z_new.jsonl`,
      rows({ ...first, version: 3, id: 'new' }, { ...said, id: 'aaaaaaaa', parentId: null }),
    )
    at.inHome(`${folder}/notes.jsonl`, 'no session\n')
    const { stdout } = await at.import('oh-my-pi', '--yes')
    expect(stdout).toContain('notes.jsonl is left out: it is not a session file.')
    const ports = { files: systemAppendFiles, clock: systemClock, ids: systemIds, home: at.state }
    const listed = await listSessions(ports, at.project)
    expect(listed.map(({ id, title }) => `${id}: ${title}`).sort()).toEqual([
      'new: Fix the login',
      'old: Fix the login',
    ])
    for (const { path } of listed)
      expect((await SessionManager.open(ports, path)).header.cwd).toBe(at.project)
    expect((await at.import('oh-my-pi', '--yes')).stdout).toContain('was imported before')
  })

  it('opens a session file of another folder as a copy, and never changes the original', async () => {
    await using at = await machine()
    const path = at.inHome(
      'elsewhere/talk.jsonl',
      `${JSON.stringify({ type: 'session', version: 3, id: 'x1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/gone' })}\n`,
    )
    const before = readFileSync(path, 'utf8')
    const copy = importSession(path, at.io)
    expect(copy).toBe(join(sessionFolder(at.state, at.project), '2026-01-01T00-00-00-000Z_x1.jsonl'))
    expect(JSON.parse(readFileSync(copy, 'utf8'))).toMatchObject({ id: 'x1', cwd: at.project })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(importSession(path, at.io)).toBe(copy)
    expect(() => importSession(at.inHome('b.jsonl', 'x\n'), at.io)).toThrow('is not a session file')
  })

  it('brings MoltNet’s signal file into its current form, and its board and session pack along', async () => {
    await using at = await machine()
    at.write(
      '.agent-claim.json',
      JSON.stringify({ item_id: 'PVTI_1', issue_number: 42, branch: 'claude/fix-42', phase: 'coding' }),
    )
    at.write('env.public', 'OTHER=1\nMOLTNET_PROJECT_NUMBER=7\nexport MOLTNET_PROJECT_OWNER="acme"\n')
    at.write('.legreffier/context/session-pack.md', '# Pack\nThe queue is called jobs.\n')
    const { stdout } = await at.import('moltnet', '--yes')
    expect(stdout).toContain(
      'Issue #42 (coding, branch claude/fix-42): the next session here holds the claim.',
    )
    const signal = readSignal(at.read('.agent-claim.json'))
    expect(signal).toMatchObject({
      kind: 'claim',
      file: { schema_version: 1, item_id: 'PVTI_1', status: 'In Progress' },
    })
    expect(at.read('.baton.yaml')).toBe('board:\n  owner: acme\n  number: 7\n')
    expect(stdout).toContain('apply only after you have read and trusted them: baton trust')
    const waiting = await new HandoffMemory(systemSmallFiles, at.state).waiting(at.project)
    expect(at.read(`.bmad/handoffs/${waiting?.document}`)).toContain('The queue is called jobs.')
  })

  it('removes the hooks of agentize and MoltNet, and nothing else', async () => {
    await using at = await machine()
    const hook = (command: string) => ({ hooks: [{ type: 'command', command }] })
    const settings = {
      model: 'opus',
      enabledPlugins: { 'agentize@agentize': true, 'other@x': true },
      hooks: {
        Stop: [hook('$CLAUDE_PROJECT_DIR/scripts/agent-sync.sh on-stop'), hook('/usr/bin/mine')],
        SessionStart: [
          hook(
            'set -a && . $CLAUDE_PROJECT_DIR/env.public && $CLAUDE_PROJECT_DIR/scripts/agent-sync.sh session-start',
          ),
        ],
      },
    }
    at.write('.claude/settings.json', JSON.stringify(settings, null, 2))
    at.write(
      '.cursor/hooks.json',
      JSON.stringify({
        version: 1,
        hooks: { beforeSubmitPrompt: [{ command: 'python3 .cursor/hooks/before-prompt-submit.py' }] },
      }),
    )
    expect((await at.import('--hooks')).stdout).toContain('Remove the hooks of agentize from')
    expect(JSON.parse(at.read('.claude/settings.json'))).toEqual(settings)
    await at.import('--hooks', '--yes')
    expect(JSON.parse(at.read('.claude/settings.json'))).toEqual({
      model: 'opus',
      enabledPlugins: { 'agentize@agentize': false, 'other@x': true },
      hooks: { Stop: [hook('/usr/bin/mine')] },
    })
    expect(at.has('.cursor/hooks.json') ? at.read('.cursor/hooks.json') : '').not.toContain(
      'before-prompt-submit',
    )
    expect((await at.import('--hooks')).stdout).toContain('Nothing to import here')
  })
})
