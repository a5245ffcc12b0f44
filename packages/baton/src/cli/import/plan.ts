import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLAIM_FILE, CLAIM_VERSION } from '@batonpass/contract/claim'
import { isMap, parseDocument } from 'yaml'
import { systemFolders } from '../../adapters/system/folders.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { readSignal } from '../../claim/signal-file.ts'
import { takeAgentizeKeys } from '../../config/agentize-keys.ts'
import { parseConfig } from '../../config/parse.ts'
import { batonHome, CONFIG_NAMES } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { describePosition } from '../../work/stages/next-stage.ts'
import { WorkItems } from '../../work/stages/work-items.ts'
import type { Io } from '../io.ts'
import type { PlannedFile } from '../setup-plan.ts'
import { ohMyPiSessions, type SessionCopy, sessionCopy } from './session-files.ts'

export const SYSTEMS = ['agentize', 'paw', 'oh-my-pi', 'moltnet'] as const
export type System = (typeof SYSTEMS)[number]

/** What an import of one system would do. */
export interface ImportPlan {
  system: System
  /** Files that Baton would write. */
  files: PlannedFile[]
  copies: SessionCopy[]
  /** Context for the next session of an agent here, stored as a handoff document. */
  context?: { text: string; from: string }
  /** What Baton uses where it is, and what it leaves out. */
  notes: string[]
}

const empty = (system: System): ImportPlan => ({ system, files: [], copies: [], notes: [] })

/** Looks for the files of the given systems. Changes nothing. */
export async function planImport(systems: readonly System[], io: Io): Promise<ImportPlan[]> {
  const plans = await Promise.all(systems.map(system => PLANNERS[system](io)))
  return plans.filter(
    ({ files, copies, notes, context }) => files.length + copies.length + notes.length > 0 || context,
  )
}

const PLANNERS: Readonly<Record<System, (io: Io) => ImportPlan | Promise<ImportPlan>>> = {
  agentize: planAgentize,
  paw: planPaw,
  'oh-my-pi': planOhMyPi,
  moltnet: planMoltNet,
}

function planAgentize(io: Io): ImportPlan {
  const plan = empty('agentize')
  const project = findWorktreeRoot(io.cwd)
  const folders = [project, io.env.AGENTIZE_HOME, io.home].filter(folder => folder !== undefined)
  for (const folder of new Set(folders)) {
    const path = join(folder, CONFIG_NAMES[1])
    const text = textOf(path)
    const own = join(folder, CONFIG_NAMES[0])
    if (text !== undefined && existsSync(own)) plan.notes.push(`${path} is not used: ${own} comes first.`)
    else if (text !== undefined) plan.files.push(agentizeConfig(path, text, own, plan.notes))
  }
  const board = boardOfAgentize(join(project, '.agentize.yaml'))
  if (board)
    plan.files.push(
      withKeys(join(project, CONFIG_NAMES[0]), board, 'the board of .agentize.yaml', plan.files),
    )
  const root = io.env.AGENTIZE_HOME ?? project
  const running = runningSessions(join(root, '.tmp', 'hooked-sessions'))
  const reads = batonHome(io.env, io.home) ?? project
  if (running.length > 0 && reads === root)
    plan.notes.push(
      `${running.length} running sessions continue at their next stop: ${running.map(({ name }) => name).join(', ')}`,
    )
  else
    for (const { name, path, text } of running)
      plan.files.push(newFile(join(reads, path), text, `the state of session ${name}`))
  return plan
}

/** The same file under Baton's name, without the keys that Baton ignores. Comments stay. */
function agentizeConfig(path: string, text: string, own: string, notes: string[]): PlannedFile {
  const { node } = parseConfig(new TextEncoder().encode(text), path)
  const ignored = node ? takeAgentizeKeys(node, path).notices : []
  const document = parseDocument(text)
  for (const { key = '', message } of ignored) {
    document.deleteIn(key.split('.'))
    notes.push(`Left out: ${message}.`)
  }
  const workflows = document.get('workflows')
  if (isMap(workflows)) {
    for (const { key, value } of [...workflows.items])
      if (isMap(value) && value.items.length === 0) workflows.delete(key)
    if (workflows.items.length === 0) document.delete('workflows')
  }
  return newFile(own, String(document), `the settings of ${path}`)
}

function boardOfAgentize(path: string): [string, unknown][] | undefined {
  const text = textOf(path)
  if (text === undefined) return undefined
  const document = parseDocument(text)
  const [owner, number] = [document.getIn(['project', 'org']), document.getIn(['project', 'id'])]
  if (typeof owner !== 'string' || typeof number !== 'number') return undefined
  return [
    ['board.owner', owner],
    ['board.number', number],
  ]
}

function runningSessions(folder: string): { name: string; path: string; text: string }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => /^[\w-]+\.json$/.test(name))
    .flatMap(file => {
      const text = textOf(join(folder, file)) ?? ''
      try {
        const state: unknown = JSON.parse(text)
        if (typeof state !== 'object' || state === null || Reflect.get(state, 'state') !== 'initial')
          return []
      } catch {
        return []
      }
      return [{ name: file.slice(0, -'.json'.length), path: join('.tmp', 'hooked-sessions', file), text }]
    })
}

async function planPaw(io: Io): Promise<ImportPlan> {
  const items = await new WorkItems(systemSmallFiles, systemFolders).list(findWorktreeRoot(io.cwd))
  const notes = items.map(({ workId, context, facts }) => {
    const done = facts.phases.filter(({ state }) => state === 'done').length
    const phases = facts.phases.length > 0 ? `, ${done} of ${facts.phases.length} phases done` : ''
    return `.paw/work/${workId} is used where it is: ${describePosition(facts)}${phases}, ${context.mode} mode`
  })
  return { ...empty('paw'), notes }
}

function planOhMyPi(io: Io): ImportPlan {
  const plan = empty('oh-my-pi')
  for (const path of ohMyPiSessions(io)) {
    try {
      const copy = sessionCopy(path, io)
      if (existsSync(copy.to)) plan.notes.push(`${path} was imported before.`)
      else plan.copies.push(copy)
    } catch {
      plan.notes.push(`${path} is left out: it is not a session file.`)
    }
  }
  return plan
}

function planMoltNet(io: Io): ImportPlan {
  const plan = empty('moltnet')
  const project = findWorktreeRoot(io.cwd)
  const claim = textOf(join(project, CLAIM_FILE))
  if (claim !== undefined) planClaim(join(project, CLAIM_FILE), claim, plan)
  const variables = { ...variablesIn(textOf(join(project, 'env.public')) ?? ''), ...io.env }
  const number = Number(variables.MOLTNET_PROJECT_NUMBER)
  const owner = variables.MOLTNET_PROJECT_OWNER
  if (Number.isInteger(number) && number > 0)
    plan.files.push(
      withKeys(
        join(project, CONFIG_NAMES[0]),
        [...(owner ? [['board.owner', owner] as [string, unknown]] : []), ['board.number', number]],
        'the board of MOLTNET_PROJECT_NUMBER',
        [],
      ),
    )
  const pack = join(project, '.legreffier', 'context', 'session-pack.md')
  const text = textOf(pack)?.trim()
  if (text) plan.context = { text, from: pack }
  if (existsSync(join(project, '.legreffier')))
    plan.notes.push('.legreffier stays as it is: Baton keeps no diary and signs nothing.')
  return plan
}

/** Earlier signal files have no version and not all fields; Baton adopts the file at the next session. */
function planClaim(path: string, text: string, plan: ImportPlan): void {
  let written = text
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !('schema_version' in value))
      written = `${JSON.stringify({ schema_version: CLAIM_VERSION, ...DEFAULTS, ...value }, null, 2)}\n`
  } catch {
    // readSignal says what is wrong.
  }
  const read = readSignal(written)
  if (read.kind === 'unreadable') {
    plan.notes.push(`Left out: ${read.why}.`)
    return
  }
  const { issue_number, phase, branch } = read.file
  if (written !== text)
    plan.files.push({ path, before: text, after: written, what: 'the signal file in its current form' })
  plan.notes.push(
    `Issue #${issue_number} (${phase}, branch ${branch || 'none'}): the next session here holds the claim.`,
  )
}

const DEFAULTS = {
  item_id: '',
  branch: '',
  agent_id: '',
  phase: 'coding',
  summary: '',
  status: 'In Progress',
  pr_number: null,
  last_check_poll: null,
  last_synced_status: null,
}

function variablesIn(text: string): Record<string, string> {
  const found = text.matchAll(/^(?:export\s+)?(MOLTNET_PROJECT_(?:NUMBER|OWNER))=["']?([\w.-]*)["']?\s*$/gm)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

const newFile = (path: string, after: string, what: string): PlannedFile => ({
  path,
  before: textOf(path),
  after,
  what,
})

/** The configuration file with these keys added where it does not have them; `planned` may already create it. */
function withKeys(
  path: string,
  keys: readonly [string, unknown][],
  what: string,
  planned: PlannedFile[],
): PlannedFile {
  const at = planned.findIndex(file => file.path === path)
  const [earlier] = at < 0 ? [] : planned.splice(at, 1)
  const before = earlier ? earlier.before : textOf(path)
  const document = parseDocument(earlier?.after ?? before ?? '')
  for (const [key, value] of keys) if (!document.hasIn(key.split('.'))) document.setIn(key.split('.'), value)
  return { path, before, after: String(document), what: earlier ? `${earlier.what} and ${what}` : what }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
