import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { Mount, PathFact, PrivateFolders, SandboxPlan } from '../ports/sandbox.ts'
import { HIDDEN_HOME, HIDDEN_SYSTEM, PACKAGE_CACHES, READABLE_HOME, READABLE_SYSTEM } from './paths.ts'
import type { Protections } from './protections.ts'

/** What one call of one session may see and change. All paths are absolute. */
export interface SandboxPolicy {
  /** The folder that commands may change: the session's worktree. */
  worktree: string
  /** Where the command starts. */
  cwd: string
  home: string
  /** Baton's state folder. */
  state: string
  private: PrivateFolders
  /** `sandbox.readable` and `sandbox.writable`. */
  readable: readonly string[]
  writable: readonly string[]
  /** Folders of the caller's PATH. */
  programFolders: readonly string[]
  protections: Protections
}

export type PlanResult =
  | { ok: true; plan: SandboxPlan /** Settings that were ignored, and why. */; ignored: readonly string[] }
  | { ok: false; reason: string }

type Facts = ReadonlyMap<string, PathFact>

/** The paths about which `makePlan` needs facts. */
export function pathsToLookAt(policy: SandboxPolicy): string[] {
  const { home, state, worktree, readable, writable, programFolders, cwd } = policy
  return [
    ...new Set([
      ...READABLE_SYSTEM,
      ...HIDDEN_SYSTEM,
      ...homePaths(READABLE_HOME, home),
      ...homePaths(HIDDEN_HOME, home),
      ...[home, state, worktree, cwd, '/var/run', ...readable, ...writable],
      ...programFolders.flatMap(folder => [folder, parentOf(folder)]),
    ]),
  ]
}

/** Everything a contained command finds, parents before children. Refuses where the boundary could not hold. */
export function makePlan(policy: SandboxPolicy, facts: Facts): PlanResult {
  const { worktree, home, state } = policy
  const realHome = facts.get(home)?.real ?? home
  const realState = facts.get(state)?.real ?? state
  const work = facts.get(worktree)
  if (work?.kind !== 'folder') return { ok: false, reason: `The project folder does not exist: ${worktree}` }
  const unbounded = whyNoBoundary(work.real, realHome, realState)
  if (unbounded) return { ok: false, reason: unbounded }

  const hidden = hiddenPaths(policy, facts)
  const inHidden = hidden.find(({ real }) => isInside(work.real, real))
  if (inHidden) return { ok: false, reason: `The project folder is in a hidden folder: ${inHidden.real}` }

  const ignored: string[] = []
  const system = READABLE_SYSTEM.flatMap(path => bindOf(path, 'read-only', facts))
  const chosen = [
    ...policy.readable.map(path => ({ path, kind: 'read-only' as const })),
    ...policy.writable.map(path => ({ path, kind: 'writable' as const })),
  ].flatMap(({ path, kind }) => {
    const fact = facts.get(path)
    const why = fact ? whyIgnored(fact, kind, { realHome, realState, hidden }) : 'it does not exist'
    if (why) ignored.push(`${path}: ${why}`)
    return why ? [] : bindOf(path, kind, facts)
  })
  const programs = policy.programFolders.flatMap(folder =>
    programMounts(folder, { realHome, work: work.real, facts }),
  )
  const caches = homePaths(PACKAGE_CACHES, home)
  const toolchains = homePaths(READABLE_HOME, home).flatMap(path =>
    bindOf(path, caches.includes(path) ? 'layered' : 'read-only', facts),
  )
  const visible: Mount[] = [
    { kind: 'writable', path: '/run', source: policy.private.run },
    { kind: 'fresh-folder', path: '/var' },
    ...system,
    ...(facts.has('/var/run') ? [{ kind: 'link', path: '/var/run', target: '/run' } as const] : []),
    { kind: 'writable', path: '/tmp', source: policy.private.temp },
    { kind: 'writable', path: '/var/tmp', source: policy.private.temp },
    ...distinct([
      { kind: 'writable', path: home, source: policy.private.home } as const,
      { kind: 'writable', path: realHome, source: policy.private.home } as const,
    ]),
    ...sortByDepth(withoutHidden([...toolchains, ...programs, ...chosen], hidden)),
    ...bindOf(worktree, 'writable', facts),
    ...policy.protections.writable.map(path => ({ kind: 'writable' as const, path, source: path })),
    ...policy.protections.mounts,
  ]
  const mounts = [...visible, ...masks(visible, hidden)]
  const cwd = facts.get(policy.cwd)?.real
  return {
    ok: true,
    ignored,
    plan: {
      mounts,
      cwd:
        cwd !== undefined && isInside(cwd, work.real)
          ? cwd
          : isVisible(cwd, mounts)
            ? (cwd ?? work.real)
            : work.real,
      environment: { HOME: home, TMPDIR: '/tmp' },
    },
  }
}

/** Why a project folder cannot be the boundary. Paths are without links. */
export function whyNoBoundary(worktree: string, home: string, state = home): string | undefined {
  for (const [what, path] of [
    ['your home folder', home],
    ['Baton’s state folder', state],
    ['the system', '/usr'],
    ['the system', '/etc'],
    // Of tmux, ssh-agent, D-Bus and others.
    ['sockets of other programs', '/tmp'],
    ['sockets of other programs', '/run'],
    ['temporary files of other programs', '/var/tmp'],
  ] as const)
    if (isInside(path, worktree)) return `The project folder contains ${what}: ${worktree}`
  return undefined
}

interface HiddenPath {
  real: string
  kind: PathFact['kind']
}

function hiddenPaths(policy: SandboxPolicy, facts: Facts): HiddenPath[] {
  const paths = [policy.state, ...homePaths(HIDDEN_HOME, policy.home), ...HIDDEN_SYSTEM]
  return paths.flatMap(path => {
    const fact = facts.get(path)
    return fact ? [{ real: fact.real, kind: fact.kind }] : []
  })
}

function whyIgnored(
  fact: PathFact,
  kind: 'read-only' | 'writable',
  place: { realHome: string; realState: string; hidden: readonly HiddenPath[] },
): string | undefined {
  if (fact.real === '/') return 'it is the whole file system'
  if (['/proc', '/dev', '/run'].some(folder => isInside(fact.real, folder))) return 'it belongs to the system'
  const around = place.hidden.find(({ real }) => isInside(fact.real, real))
  if (around) return `it is in ${around.real}, which stays hidden`
  if (kind === 'read-only') return undefined
  if (isInside(place.realHome, fact.real)) return 'a writable folder must not contain your home folder'
  if (isInside(place.realState, fact.real)) return 'a writable folder must not contain Baton’s state folder'
  if (READABLE_SYSTEM.some(path => isInside(fact.real, path) || isInside(path, fact.real)))
    return 'it belongs to the system'
  return undefined
}

/** A host path at its own place. Where a link leads to it, the link is there too. */
function bindOf(path: string, kind: 'read-only' | 'writable' | 'layered', facts: Facts): Mount[] {
  const fact = facts.get(path)
  if (!fact || fact.kind === 'other') return []
  if (fact.target !== undefined && READABLE_SYSTEM.includes(path))
    // `/bin` is a link into `/usr` on most systems.
    return [{ kind: 'link', path, target: fact.target }]
  if (fact.real === path) return [{ kind, path, source: fact.real }]
  return [
    { kind, path: fact.real, source: fact.real },
    { kind, path, source: fact.real },
  ]
}

/** Programs that PATH names outside the system and the home folder: their whole installation, if it has a `bin`. */
function programMounts(
  folder: string,
  place: { realHome: string; work: string; facts: Facts },
): Extract<Mount, { kind: 'read-only' | 'writable' }>[] {
  const { facts, realHome, work } = place
  const fact = facts.get(folder)
  if (
    fact?.kind !== 'folder' ||
    isInside(fact.real, work) ||
    ['/proc', '/dev', '/run', '/tmp'].some(path => isInside(fact.real, path))
  )
    return []
  if (READABLE_SYSTEM.some(path => isInside(fact.real, path))) return []
  const parent = facts.get(parentOf(folder))
  const isInstallation = /\/s?bin$/.test(fact.real) && parent && parent.real.split('/').length > 2
  const real =
    isInstallation && !isInside(realHome, parent.real) && !isInside(work, parent.real)
      ? parent.real
      : fact.real
  if (real === '/' || isInside(realHome, real) || isInside(work, real)) return []
  return [{ kind: 'read-only', path: real, source: real }]
}

type Bind = Extract<Mount, { source: string }>

function withoutHidden(mounts: readonly Mount[], hidden: readonly HiddenPath[]): Bind[] {
  return mounts.filter(
    (mount): mount is Bind => 'source' in mount && !hidden.some(({ real }) => isInside(mount.source, real)),
  )
}

/** Covers each hidden path that a mount would show. */
function masks(mounts: readonly Mount[], hidden: readonly HiddenPath[]): Mount[] {
  const found = new Map<string, Mount>()
  for (const { real, kind } of hidden) {
    const places = mounts.flatMap(mount =>
      'source' in mount && real !== mount.source && isInside(real, mount.source)
        ? [mount.path + real.slice(mount.source === '/' ? 0 : mount.source.length)]
        : [],
    )
    if (real.startsWith('/proc/')) places.push(real)
    for (const path of places)
      found.set(path, { kind: kind === 'folder' ? 'hidden-folder' : 'hidden-file', path })
  }
  return [...found.values()]
}

const isVisible = (path: string | undefined, mounts: readonly Mount[]): boolean =>
  path !== undefined &&
  mounts.some(mount => 'source' in mount && mount.source === mount.path && isInside(path, mount.path))

/** Parents first, and each path once. */
function sortByDepth(mounts: readonly Bind[]): Bind[] {
  return distinct(mounts).sort((a, b) => a.path.split('/').length - b.path.split('/').length)
}

function distinct<T extends { path: string }>(mounts: readonly T[]): T[] {
  return [...new Map(mounts.map(mount => [mount.path, mount])).values()]
}

const homePaths = (names: readonly string[], home: string): string[] => names.map(name => `${home}/${name}`)
const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 1))
