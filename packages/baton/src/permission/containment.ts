import type { Config } from '@batonpass/contract/config'
import type { PermissionJudgement, PermissionStep, ReleasedAction } from '@batonpass/contract/permission'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { UnnamedWrites } from '../ports/unnamed-writes.ts'
import type { SessionSettings } from '../sandbox/access/access.ts'
import { isPull } from '../sandbox/broker/broker-takes.ts'
import { canBind } from '../sandbox/broker/released-actions.ts'
import { answersHost } from '../sandbox/network/host-settings.ts'
import { READABLE_HOME, READABLE_SYSTEM, whyPartProtected } from '../sandbox/paths.ts'
import { PRIVATE } from './needs-outside.ts'

/** The folders that decide what a command finds inside. Absolute, without links. */
export interface ContainmentPlace {
  worktree: string
  cwd: string
  home: string
  readable: readonly string[]
  writable: readonly string[]
  /**
   * Where a person says yes to what the broker does. `dialog`: in the agent's dialog, before the command runs. `rules`:
   * nowhere, because the agent asks about the command itself. `agent`: nowhere, because the agent's mode judges what needs a
   * yes. In both it must see the command for that.
   */
  broker?: 'rules' | 'agent' | 'dialog' | 'person' | undefined
  /** Whether package registries answer inside. */
  hasRegistries?: boolean | undefined
  /** Servers that answer inside, in the syntax of `sandbox.hosts`. */
  hosts?: readonly string[] | undefined
}

export interface ContainmentPorts extends UnnamedWrites {
  exists(path: string): boolean
}

/** The place of a command, with links followed and `~` replaced. */
export function containmentPlace(
  {
    worktree,
    cwd,
    home,
    broker,
    hasRegistries,
  }: Pick<ContainmentPlace, 'worktree' | 'cwd' | 'home' | 'broker' | 'hasRegistries'>,
  {
    sandbox,
  }: {
    sandbox: Pick<SessionSettings, 'readable' | 'writable' | 'hosts' | 'requestedHosts'>
  },
  realpath: (path: string) => string,
): ContainmentPlace {
  const expand = (path: string) => realpath(path.replace(/^~(?=\/)/, home))
  return {
    worktree: realpath(worktree),
    cwd: realpath(cwd),
    home,
    readable: sandbox.readable.map(expand),
    writable: sandbox.writable.map(expand),
    broker,
    hasRegistries,
    // The same proxy serves both.
    hosts: hasRegistries ? [...sandbox.hosts, ...sandbox.requestedHosts] : [],
  }
}

/**
 * Why a command that rules do not deny does not run in the sandbox: then its text decides, as on a machine without one.
 * Undefined: it runs inside, whatever it does. `isOwn`: inside the agent's own sandbox, in which such files can be changed.
 */
export async function whyOutside(
  judgement: PermissionJudgement,
  place: ContainmentPlace,
  ports: ContainmentPorts,
  isOwn = false,
): Promise<string | undefined> {
  const { decision, reason, effects } = judgement
  const trail = stepsInside(judgement)
  if (decision === 'deny' || trail.some(({ rule }) => rule === 'error')) return reason
  // A rule that allows a command answers the question about it. It does not say that it has to leave, unless it says so.
  const own = decision === 'allow' ? trail.filter(isOwnRule) : []
  if (own[0] && own.every(({ outside }) => outside)) return `your rule ${own[0].rule} lets it out`
  const open = place.broker === 'person' ? undefined : openSteps(judgement)[0]
  // What no one has read does not leave by the agent's own judgement: it runs inside, and the broker decides about the rest.
  const isForAgent = place.broker === 'agent' && judgement.understood
  if (open && (place.broker === 'rules' || isForAgent)) return `${open.part} needs a yes to leave the sandbox`
  const [first] = effects.brokered ?? []
  if (first !== undefined && place.broker === undefined) return `${first.part} needs a remote`
  const [leaves] = effects.leaves ?? []
  if (leaves !== undefined) return leaves
  const [installs] = effects.installs ?? []
  if (installs !== undefined && !place.hasRegistries) return installs
  const unknown = (effects.contacts ?? []).find(server => !answersHost(place.hosts ?? [], server))
  if (unknown !== undefined) return `it contacts ${unknown}`
  const elsewhere = [place.cwd, ...(effects.folders ?? [])].find(folder => !isVisible(folder, place))
  if (elsewhere !== undefined) return `it works in another folder (${elsewhere})`
  for (const path of effects.writes) {
    const why = whyNotWritten(path, place, ports)
    if (why) return why
  }
  const other = effects.reads.find(
    path => !isVisible(path, place) && !isInside(path, place.home) && ports.exists(path),
  )
  if (other !== undefined) return `it reads ${other}`
  const brings = (effects.brings ?? []).filter(
    ([what = '', sub = '']) => isOwn || !BRINGS_NOTHING.test(what === 'unknown' ? sub : what),
  )
  const isReadOnly = (path: string) => whyReadOnly(path.slice(place.worktree.length + 1)) !== undefined
  // Changed hooks of the project may run: they are contained.
  if (brings.length > 0 && (await ports.mayChange(place.worktree, brings, isReadOnly, isOwn)))
    return 'it may bring other settings of agents, editors or Baton'
  return undefined
}

/**
 * Whether a permission mode that does not ask may let out a command that cannot work inside. Code that no one has read needs a
 * rule, a grant or a person.
 */
export const mayLeaveByMode = (
  { understood }: Pick<PermissionJudgement, 'understood'>,
  { sandbox }: Pick<Config, 'sandbox'>,
): boolean => understood && sandbox.mode !== 'strict'

/**
 * What a person is asked about a command that runs inside after the yes: nothing of it leaves the sandbox. An agent's own sandbox
 * may not hide secret variables.
 */
export function questionInside(
  judgement: PermissionJudgement,
  hidesVariables = true,
): PermissionStep | undefined {
  return stepsInside(judgement).find(
    step => step.decision === 'ask' && !(hidesVariables && step.hiddenInside),
  )
}

/** The steps of the parts that the broker does nothing for. */
function stepsInside({ trail, effects: { brokered = [] } }: PermissionJudgement): PermissionStep[] {
  const places = new Set<number | undefined>(brokered.map(({ at }) => at))
  return trail.filter(({ at }) => at === undefined || !places.has(at))
}

/** What the broker does for a command only after a yes. */
function openSteps({ trail, effects: { brokered = [] } }: PermissionJudgement): PermissionStep[] {
  const open = brokered.filter(({ granted }) => granted !== true)
  const places = new Set<number | undefined>(open.map(({ at }) => at))
  // Of a pull, a fetch leaves, about which the broker decides. The rest runs inside.
  const pulls = new Set<number | undefined>(open.flatMap(({ at, words }) => (isPull(words) ? [at] : [])))
  return trail.filter(
    step =>
      step.at !== undefined &&
      places.has(step.at) &&
      step.decision !== 'allow' &&
      !(step.decision === 'undecided' && !isOwnRule(step) && pulls.has(step.at)),
  )
}

/**
 * What a person says yes to before the command runs: steps, and their words as the broker will get them. Where the words
 * are only known when it runs, as in `gh pr merge "$N"`, the broker asks then.
 */
export function releasesOf(judgement: PermissionJudgement): {
  steps: PermissionStep[]
  actions: ReleasedAction[]
  /** What the user's own rules allow in these words, although the broker calls it something else: `main:x` for `HEAD:refs/heads/x`. */
  ruled: ReleasedAction[]
} {
  const bound = (judgement.effects.brokered ?? []).filter(canBind)
  const steps = openSteps(judgement).filter(step => bound.some(({ at }) => at === step.at))
  const open = new Set(steps.map(({ at }) => at))
  const actions = bound.flatMap(({ at, words, folders }) => (open.has(at) ? [{ words, folders }] : []))
  const { trail } = judgement
  const ruled = bound.flatMap(({ at, words, folders }): ReleasedAction[] => {
    const own = trail.filter(step => step.at === at)
    const isRuled = own.some(isOwnRule) && own.every(({ decision }) => decision === 'allow')
    return isRuled ? [{ words, folders, byRule: true }] : []
  })
  return { steps, actions, ruled }
}

export const NOT_UNDOABLE = 'it changes files of which there is no snapshot'

/** What a command names that is on this machine but not in the sandbox: files of the home folder. */
export const hiddenInside = (
  { effects }: PermissionJudgement,
  place: ContainmentPlace,
  { exists }: Pick<ContainmentPorts, 'exists'>,
): string[] => effects.reads.filter(path => !isVisible(path, place) && exists(path))

/** Whether the text names files of the worktree that would be changed or deleted. */
export const overwrites = (
  { decision, effects }: PermissionJudgement,
  worktree: string,
  { exists }: Pick<ContainmentPorts, 'exists'>,
): boolean => decision !== 'allow' && effects.writes.some(path => isInside(path, worktree) && exists(path))

/** Whether a rule of a person or of a workflow decided, not one of Baton's. */
export const isOwnRule = ({ rule }: PermissionStep): boolean => !BATONS.test(rule)

/** Whether it only says that nothing is wrong: no rule of a person and no grant speaks in it. */
export const isPlainAllow = ({ rule, decision }: PermissionStep): boolean =>
  decision === 'allow' && /^(builtin|analysis)\b/.test(rule)

/** Rules that Baton brings itself. What a grant covers is contained, too, unless it has to leave. */
const BATONS = /^(builtin|analysis|preset|self-protection|error|grant)\b/
/** A commit, and programs that find out by themselves what is read-only inside; other git commands would record it as changed. */
const BRINGS_NOTHING =
  /^(commit|g?tar|bsdtar|unzip|7z[arsz]{0,2}|cpio|unrar|patch|gpatch|g?cp|rsync|g?mv|g?install)$/

function whyNotWritten(
  path: string,
  { worktree, writable }: ContainmentPlace,
  { exists }: ContainmentPorts,
): string | undefined {
  if (isInside(path, worktree)) {
    const what = whyReadOnly(path.slice(worktree.length + 1))
    return what && `it changes ${what}`
  }
  if (isInside(path, '/dev') || writable.some(folder => isInside(path, folder))) return undefined
  // Another file of that name than the one on the host would be written.
  if (PRIVATE.some(folder => isInside(path, folder)) && !exists(path)) return undefined
  return `it writes to ${path}`
}

const whyReadOnly = (path: string): string | undefined =>
  whyPartProtected(path) ??
  (/(^|\/)\.git\/(config|hooks|info)(\/|$)/.test(path) ? 'the git configuration' : undefined)

const SYSTEM = [...READABLE_SYSTEM, '/dev', '/proc', '/sys']

function isVisible(path: string, { worktree, home, readable, writable }: ContainmentPlace): boolean {
  const folders = [
    worktree,
    ...SYSTEM,
    ...READABLE_HOME.map(name => `${home}/${name}`),
    ...readable,
    ...writable,
  ]
  return folders.some(folder => isInside(path, folder))
}
