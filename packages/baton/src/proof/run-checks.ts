import { compilePattern } from '@batonpass/contract/pattern'
import type { Check, CheckResult, Proof } from '@batonpass/contract/proof'
import type { Checkouts } from '../ports/checkouts.ts'
import type { Clock } from '../ports/clock.ts'
import type { CompareTests } from '../ports/compare-tests.ts'
import { type ContainedRun, SandboxNotStarted } from '../ports/sandbox.ts'
import { readReport } from '../session/transcript/test-report.ts'
import { deriveChecks } from './derive-checks.ts'
import { whyNotMet } from './diff-checks.ts'
import { reasonsIn } from './justified-tests.ts'
import { weakenedTests } from './read-weakened.ts'
import type { ResultCache } from './result-cache.ts'
import { reviewFolder } from './review-session.ts'
import { shortenOutput } from './shorten-output.ts'

/** Runs commands in a sandbox of their own. */
export interface Containment {
  /** Why there is no sandbox here; undefined if there is one. */
  whyUnavailable(project: string): Promise<string | undefined>
  open(name: string, folder: string, project: string): Promise<ContainedFolder>
}

/** A checkout and the sandbox around it. */
interface Place extends ContainedFolder {
  folder: string
}

export interface ContainedFolder {
  run(argv: readonly string[], options: { timeoutMs: number; signal: AbortSignal }): Promise<ContainedRun>
  end(): Promise<void>
}

export interface CheckPorts {
  checkouts: Checkouts
  compareTests: CompareTests
  containment: Containment
  cache: ResultCache
  clock: Clock
  /** A new folder for a checkout. */
  folderFor(name: string): string
  redact(text: string): string
  fault(during: string, cause: unknown): void
}

export interface Progress {
  running(what: string): Promise<void>
  setup(result: CheckResult): Promise<void>
  result(result: CheckResult): Promise<void>
}

type RunCheck = Extract<Check, { kind: 'run' }>

/** Checkouts that run at the same time where no setup makes them expensive. */
const LANES = 2

/** Runs the checks of a proof that need only its commit, and reports each result. Ends early if `signal` aborts. */
export async function runChecks(
  ports: CheckPorts,
  proof: Proof,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const runs = proof.checks.filter(check => check.kind === 'run')
  // Git answers while the checkout, the sandbox and the setup are made ready.
  const reading = readCommit(ports, proof, progress, signal)
  const definitions = definitionsNow(ports, proof, runs)
  const both = Promise.allSettled([reading, definitions])
  try {
    await runCommands(ports, proof, progress, signal, { runs, reading, definitions })
  } finally {
    // Neither reports a result of a proof that has ended.
    await both
  }
}

/** What git knows of the commit, and is asked meanwhile. */
interface Asked {
  runs: readonly RunCheck[]
  reading: Promise<void>
  definitions: ReturnType<typeof definitionsNow>
}

async function runCommands(
  ports: CheckPorts,
  proof: Proof,
  progress: Progress,
  signal: AbortSignal,
  { runs, reading, definitions }: Asked,
): Promise<void> {
  const { cache, containment } = ports
  const { project } = proof
  const finished = new Set<string>()
  const finish = async (check: RunCheck, result: CheckResult) => {
    await progress.result(withChangedDefinition(check, result, await definitions))
    finished.add(check.name)
  }
  const waiting: RunCheck[] = []
  for (const check of runs) {
    const known = proof.again ? undefined : await cache.get(proof, check)
    if (known) {
      await reading
      await finish(check, { ...known, name: check.name, cached: true })
    } else waiting.push(check)
  }
  const missing = waiting.length > 0 ? await containment.whyUnavailable(project) : undefined
  if (waiting.length === 0 || missing !== undefined) {
    await reading
    for (const check of waiting)
      await progress.result({
        name: check.name,
        status: 'not-run',
        why: 'no sandbox',
        seconds: 0,
        output: missing,
      })
    return
  }
  const lanes = proof.setup === undefined ? Math.min(LANES, waiting.length) : 1
  const ended = await Promise.allSettled(
    Array.from({ length: lanes }, (_, lane) =>
      inCheckout(ports, proof, lane, signal, async place => {
        const isReady = proof.setup === undefined || (await prepare(ports, proof, place, progress, signal))
        await reading
        if (!isReady) return
        for (let check = waiting.shift(); check && !signal.aborted; check = waiting.shift()) {
          await progress.running(check.name)
          const result = await runTwice(ports, check, place, signal)
          if (signal.aborted) return
          await cache.put(proof, check, result)
          await finish(check, result)
        }
      }),
    ),
  )
  const broken = ended.find(lane => lane.status === 'rejected')
  if (!broken || signal.aborted) return
  const why = `could not run: ${broken.reason instanceof Error ? broken.reason.message : broken.reason}`
  const left = runs.filter(({ name }) => !finished.has(name))
  for (const { name } of left) await progress.result({ name, status: 'not-run', why, seconds: 0 })
  // Every check has a result from another checkout, or this one could not be removed: neither changes the verdict.
  if (left.length === 0) ports.fault('running checks', broken.reason)
}

/** Checks that need only what git knows of the commit. */
async function readCommit(
  ports: CheckPorts,
  proof: Proof,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { checkouts } = ports
  const { project, base, commit, checks } = proof
  const readable = checks.filter(check => check.kind === 'files' || check.kind === 'diff')
  if (readable.length === 0) return
  const [paths, changes] = await Promise.all([
    checkouts.tree(project, commit).paths(),
    checkouts.changes(project, base, commit),
  ])
  const weakened = readable.some(check => check.kind === 'diff' && check.keepsTests)
    ? await weakenedTests(ports, proof, changes, signal)
    : []
  if (signal.aborted) return
  const reasons = weakened.length > 0 ? await reasonsIn(checkouts, proof) : []
  for (const check of readable) {
    const why = whyNotMet(check, paths, changes, weakened)
    // The agent gave a reason for weaker tests: `runOutsideChecks` asks whether it counts.
    if (why !== undefined && reasons.length > 0 && !whyNotMet(check, paths, changes)) continue
    const failed = why === undefined ? {} : { why: `failed: ${why}` }
    await progress.result({
      name: check.name,
      status: why === undefined ? 'passed' : 'failed',
      seconds: 0,
      ...failed,
    })
  }
}

/** Removes the checkouts that a killed daemon left. */
export async function removeCheckouts({ checkouts, folderFor }: CheckPorts, { id }: Proof): Promise<void> {
  for (let lane = 0; lane < LANES; lane++) await checkouts.remove(folderFor(`${id}-${lane}`))
  await checkouts.remove(folderFor(reviewFolder(id)))
}

async function inCheckout(
  { checkouts, containment, folderFor }: CheckPorts,
  { id, project, commit }: Proof,
  lane: number,
  signal: AbortSignal,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const folder = folderFor(`${id}-${lane}`)
  await checkouts.remove(folder)
  try {
    const making = checkouts.make(project, commit, folder)
    const opening = openStarted(containment, [`${id}-${lane}`, folder, project], signal)
    // Neither is left behind if the other fails.
    const [made, opened] = await Promise.allSettled([making, opening])
    if (opened.status === 'rejected') throw made.status === 'rejected' ? made.reason : opened.reason
    try {
      if (made.status === 'rejected') throw made.reason
      if (!signal.aborted) await work({ ...opened.value, folder })
    } finally {
      await opened.value.end()
    }
  } finally {
    await checkouts.remove(folder)
  }
}

async function prepare(
  ports: CheckPorts,
  proof: Proof,
  place: Place,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const command = proof.setup ?? ''
  await progress.running(command)
  const minutes = Math.max(...proof.checks.map(check => (check.kind === 'run' ? check.minutes : 0)), 1)
  const result = await runOnce(ports, { name: command, command, exit: 0, minutes }, place, signal)
  if (signal.aborted) return false
  await progress.setup(result)
  return result.status === 'passed'
}

/** A check that fails once and then passes on the same commit is flaky, which is not the same as passed. */
async function runTwice(
  ports: CheckPorts,
  check: RunCheck,
  place: Place,
  signal: AbortSignal,
): Promise<CheckResult> {
  const first = await runOnce(ports, check, place, signal)
  if (first.status !== 'failed' || signal.aborted) return first
  const second = await runOnce(ports, check, place, signal)
  return second.status === 'passed'
    ? {
        ...first,
        status: 'flaky',
        why: 'failed once and then passed',
        seconds: first.seconds + second.seconds,
      }
    : { ...first, seconds: first.seconds + second.seconds }
}

async function runOnce(
  { clock, redact }: CheckPorts,
  {
    name,
    command,
    exit,
    output: wanted,
    minutes,
  }: Pick<RunCheck, 'name' | 'command' | 'exit' | 'output' | 'minutes'>,
  place: Place,
  signal: AbortSignal,
): Promise<CheckResult> {
  const started = clock.now()
  // Errors between the other lines, as in a terminal. CI: test runners then neither watch nor write snapshots.
  const argv = ['/usr/bin/env', 'CI=1', '/bin/sh', '-c', `exec 2>&1\n${command}`]
  const { code, stdout, stderr } = await runStarted(place, argv, minutes, signal)
  const ms = clock.now() - started
  const isStarted = hasStarted({ code, stdout, stderr })
  const shown = redact(shortenOutput((isStarted ? stdout : stderr).replaceAll(`${place.folder}/`, '')))
  const result = {
    name,
    seconds: Math.round(ms / 100) / 10,
    output: shown,
    ...(code === undefined ? {} : { exit: code }),
  }
  if (code === undefined)
    return ms >= minutes * 60_000
      ? {
          ...result,
          status: 'timed-out',
          why: `took longer than ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`,
        }
      : { ...result, status: 'failed', why: 'was killed' }
  if (!isStarted) return { ...result, status: 'not-run', why: `${name} did not start in the sandbox` }
  const absent = missingProgram(code, stdout)
  if (absent && exit !== code) return { ...result, status: 'not-run', why: `${absent} is not installed here` }
  if (code !== exit && NO_CONTAINERS.test(stdout))
    return { ...result, status: 'not-run', why: `${name} needs containers, which the sandbox does not have` }
  if (code !== exit)
    return {
      ...result,
      status: 'failed',
      why: `failed with exit code ${code}${exit === 0 ? '' : `, not ${exit}`}`,
    }
  if (wanted !== undefined && !compilePattern(wanted).test(stdout))
    return { ...result, status: 'failed', why: `printed nothing that matches ${JSON.stringify(wanted)}` }
  return ranNothing(stdout)
    ? { ...result, status: 'failed', why: 'ran no tests' }
    : { ...result, status: 'passed' }
}

const MAX_STARTS = 3

/** Tries again if a sandbox does not start, or not in time, as on a busy machine. Other errors would only come again. */
async function openStarted(
  containment: Containment,
  about: Parameters<Containment['open']>,
  signal: AbortSignal,
): Promise<ContainedFolder> {
  for (let tries = 1; ; tries++)
    try {
      return await containment.open(...about)
    } catch (cause) {
      if (!(cause instanceof SandboxNotStarted) || tries === MAX_STARTS || signal.aborted) throw cause
    }
}

/** A sandbox that could not start, for example on a machine without free memory, is not a check that failed: tries again. */
async function runStarted(
  place: Place,
  argv: readonly string[],
  minutes: number,
  signal: AbortSignal,
): Promise<ContainedRun> {
  let ran = await place.run(argv, { timeoutMs: minutes * 60_000, signal })
  for (let tries = 1; tries < MAX_STARTS && !hasStarted(ran) && !signal.aborted; tries++)
    ran = await place.run(argv, { timeoutMs: minutes * 60_000, signal })
  return ran
}

/** Everything that a check prints goes to standard output: only the sandbox itself writes to the other. */
const hasStarted = ({ code, stdout, stderr }: ContainedRun): boolean =>
  code === undefined || code === 0 || stdout !== '' || stderr.trim() === ''

/** The program that a command did not find. */
function missingProgram(code: number, output: string): string | undefined {
  const named =
    /^(?:\/bin\/sh|sh|bash)(?:: (?:line )?\d+)?: (?:\d+: )?([\w./-]+): (?:command )?not found/m.exec(
      output,
    )?.[1]
  if (code === 127 || code === 126) return named ?? 'a program that it needs'
  return /No module named ['"]?(pytest|tox|nox)\b/.exec(output)?.[1]
}

/** What clients of a container engine or a cluster print if they do not reach it, and shells if there is no client. */
const NO_CONTAINERS =
  /Cannot connect to the Docker daemon|(?:permission denied while trying|failed) to connect to the docker (?:API|daemon)|Cannot connect to Podman|Could not find a working container runtime|The connection to the server \S{1,200} was refused - did you specify the right host|\b(?:docker|docker-compose|podman|podman-compose|nerdctl|kubectl|minikube): (?:command not found|not found|No such file or directory)/i

/** A test run that says itself that there was nothing to run. */
function ranNothing(output: string): boolean {
  const { passed, failed } = readReport(output)
  return passed === 0 && (failed === undefined || failed === 0)
}

/** The definitions of derived checks in the commit that is proven; an empty map if nothing was derived. */
async function definitionsNow(
  { checkouts }: CheckPorts,
  { project, commit, base }: Proof,
  runs: readonly RunCheck[],
): Promise<ReadonlyMap<string, string | undefined>> {
  if (commit === base || !runs.some(({ definition }) => definition !== undefined)) return new Map()
  const now = await deriveChecks(checkouts.tree(project, commit), 1)
  return new Map(
    runs.map(({ name, command }) => [name, now.find(check => check.command === command)?.definition]),
  )
}

function withChangedDefinition(
  check: RunCheck,
  result: CheckResult,
  now: ReadonlyMap<string, string | undefined>,
): CheckResult {
  if (result.status !== 'passed' || check.definition === undefined || !now.has(check.name)) return result
  const current = now.get(check.name)
  if (current === check.definition) return result
  const why = current === undefined ? 'is no longer defined' : 'passed, but the run changed what it does'
  return { ...result, status: 'changed', why: `${why} (${check.definedIn ?? check.where})` }
}
