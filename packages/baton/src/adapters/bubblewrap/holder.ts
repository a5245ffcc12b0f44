import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SandboxNotStarted } from '../../ports/sandbox.ts'
import { holderArguments } from './arguments.ts'
import { withOnlyDescriptors } from './box.ts'

/** How often a holder looks whether a daemon is there, and after how many looks without one it ends. */
export interface HolderLimits {
  seconds: number
  looks: number
}

/** The process that keeps a session's namespaces alive: process 1 inside. */
export interface Holder {
  /** Its process number on the host. */
  pid: number
  /** When it started, so that a process number used again is not mistaken for it. */
  started: string
  /** Its file descriptor 9 is this file. */
  mark: string
}

const START_TIMEOUT_MS = 5000

// Waiting for `sleep` also collects processes that background commands leave behind. The daemon removes the beat
// file; without one for long enough, or without the session's folder, everything inside ends.
const LOOP = `exec 9<"$1"; n=0
while [ "$n" -lt "$4" ]; do
  sleep "$3"
  if [ -e "$2" ]; then n=$((n + 1)); else n=0; : >"$2"; fi
done`

const places = (folder: string) => ({
  mark: join(folder, 'holder'),
  beat: join(folder, 'beat'),
  record: join(folder, 'holder.json'),
})

/** Starts a holder that outlives this process. Throws with the program's own words if that fails. */
export async function startHolder(
  { bwrap, bash }: { bwrap: string; bash: string },
  folder: string,
  limits: HolderLimits,
): Promise<Holder> {
  const { mark, beat, record } = places(folder)
  await writeFile(mark, '')
  const log = openSync(join(folder, 'holder.log'), 'w')
  const loop = [
    '/bin/sh',
    '-c',
    LOOP,
    'baton-sandbox',
    mark,
    beat,
    String(limits.seconds),
    String(limits.looks),
  ]
  const [program = bash, ...args] = withOnlyDescriptors(
    bash,
    [3],
    [bwrap, ...holderArguments(3), '--', ...loop],
  )
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', log, 'pipe'],
  })
  closeSync(log)
  child.unref()
  let pid: number | undefined
  try {
    pid = await childPid(child)
    const holder = { pid, started: (await startOf(pid)) ?? '', mark }
    await untilMarked(holder, child)
    await writeFile(record, JSON.stringify(holder))
    return holder
  } catch (cause) {
    for (const number of [pid, child.pid]) if (number) killQuietly(number)
    const said = await readFile(join(folder, 'holder.log'), 'utf8').catch(() => '')
    throw new SandboxNotStarted(
      said.trim() || (cause instanceof Error ? cause.message : 'bubblewrap did not start'),
      {
        cause,
      },
    )
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

/** The holder that a previous daemon started, if it still runs. */
export async function findHolder(folder: string): Promise<Holder | undefined> {
  const text = await readFile(places(folder).record, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    const { pid, started, mark } = JSON.parse(text) as Partial<Holder>
    if (typeof pid !== 'number' || typeof started !== 'string' || typeof mark !== 'string') return undefined
    const holder = { pid, started, mark }
    return (await isRunning(holder)) ? holder : undefined
  } catch {
    return undefined
  }
}

/** Tells the holder that a daemon is there. */
export const beat = (folder: string): Promise<void> => rm(places(folder).beat, { force: true })

/** Ends the holder, and with it every process inside. */
export async function endHolder(holder: Holder): Promise<void> {
  if (!(await isRunning(holder))) return
  process.kill(holder.pid, 'SIGKILL')
  while (await isRunning(holder)) await wait(5)
}

export async function isRunning({ pid, started, mark }: Holder): Promise<boolean> {
  if ((await startOf(pid)) !== started) return false
  const [own, open] = await Promise.all([
    stat(mark).catch(() => undefined),
    stat(`/proc/${pid}/fd/9`).catch(() => undefined),
  ])
  return own !== undefined && open !== undefined && own.ino === open.ino && own.dev === open.dev
}

/** The processes inside besides the holder's own, by their numbers on the host. */
export async function processesInside({ pid }: Holder): Promise<number[]> {
  const own = await readlink(`/proc/${pid}/ns/pid`).catch(() => undefined)
  if (own === undefined) return []
  const numbers = (await readdir('/proc')).filter(name => /^\d+$/.test(name) && Number(name) !== pid)
  const inside = await Promise.all(
    numbers.map(async number => {
      if ((await readlink(`/proc/${number}/ns/pid`).catch(() => '')) !== own) return []
      // The holder's clock: its child, and a direct one.
      const text = await readFile(`/proc/${number}/stat`, 'utf8').catch(() => '')
      const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const isClock = Number(parent) === pid && /\(sleep\)/.test(text) && (await usesMark(number, pid))
      return text === '' || state === 'Z' || isClock ? [] : [Number(number)]
    }),
  )
  return inside.flat()
}

/** A `sleep` of the holder has the holder's mark open, too; one that a command left behind has not. */
async function usesMark(number: string, pid: number): Promise<boolean> {
  const [own, open] = await Promise.all([
    stat(`/proc/${pid}/fd/9`).catch(() => undefined),
    stat(`/proc/${number}/fd/9`).catch(() => undefined),
  ])
  return own !== undefined && open !== undefined && own.ino === open.ino && own.dev === open.dev
}

function childPid(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('bubblewrap did not answer in time')), START_TIMEOUT_MS)
    let text = ''
    const info = child.stdio[3] as NodeJS.ReadableStream & { destroy?: () => void }
    const done = (act: () => void) => {
      clearTimeout(timer)
      info.destroy?.()
      act()
    }
    info.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
      // To its end: bubblewrap dies if it writes to a closed pipe.
      if (pid && text.trimEnd().endsWith('}')) done(() => resolve(Number(pid)))
    })
    child.once('error', error => done(() => reject(error)))
    child.once('exit', code => done(() => reject(new Error(`bubblewrap ended with ${code}`))))
  })
}

/** The namespaces exist before their first process does: it is ready when it has its mark open. */
async function untilMarked(holder: Holder, child: ReturnType<typeof spawn>): Promise<void> {
  for (let tries = 0; !(await isRunning(holder)); tries++) {
    if (child.exitCode !== null || tries > START_TIMEOUT_MS / 5) throw new Error('the sandbox did not start')
    await wait(5)
  }
}

/** Field 22 of /proc/PID/stat. The name before it may contain anything. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  const [state, ...rest] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  return state === undefined || state === 'Z' || state === 'X' ? undefined : rest[18]
}
