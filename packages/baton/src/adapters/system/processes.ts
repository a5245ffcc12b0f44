import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Processes, RunningProcess } from '../../ports/processes.ts'

const run = promisify(execFile)

/** The real processes: from /proc on Linux, from `ps` elsewhere. */
export const systemProcesses: Processes = {
  alive(pid) {
    try {
      return process.kill(pid, 0)
    } catch (error) {
      // It belongs to another user, but it exists.
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  },
  async pids() {
    if (process.platform !== 'linux') return undefined
    const names = await readdir('/proc').catch(() => undefined)
    return names && new Set(names.map(Number).filter(pid => pid > 0))
  },
  async born(pid) {
    if (process.platform === 'linux') return (await fromProc(pid))?.born
    return (await fromPs(['-p', String(pid)]))[0]?.born
  },
  async since(pid) {
    if (process.platform !== 'linux') {
      const born = (await fromPs(['-p', String(pid)]))[0]?.born
      return born === undefined ? undefined : Date.parse(born) || undefined
    }
    const [born, stat] = await Promise.all([
      fromProc(pid).then(found => found?.born),
      readFile('/proc/stat', 'utf8').catch(() => ''),
    ])
    const booted = /^btime (\d+)$/m.exec(stat)?.[1]
    return born === undefined || booted === undefined
      ? undefined
      : (Number(booted) + Number(born) / TICKS_PER_SECOND) * 1000
  },
  async table() {
    if (process.platform !== 'linux') return fromPs(['-ax'])
    const names = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
    const found: RunningProcess[] = []
    // A few at a time, so that the daemon can serve hooks in between.
    for (let i = 0; i < names.length; i += 32) {
      const some = await Promise.all(names.slice(i, i + 32).map(name => fromProc(Number(name))))
      found.push(...some.filter(each => each !== undefined))
    }
    return found
  },
}

/** The unit of start times in /proc, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

async function fromProc(pid: number): Promise<RunningProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat === undefined ? undefined : parseStatLine(stat)
}

/** `PID (NAME) STATE PPID … STARTTIME`: the name may contain anything, even `) S 1`. A zombie counts as gone. */
export function parseStatLine(stat: string): RunningProcess | undefined {
  const end = stat.lastIndexOf(')')
  const [state, parent, ...rest] = stat.slice(end + 2).split(' ')
  const pid = Number(stat.slice(0, stat.indexOf(' ')))
  const born = rest[17]
  if (end < 0 || !pid || born === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), born, command: stat.slice(stat.indexOf('(') + 1, end) }
}

async function fromPs(which: readonly string[]): Promise<RunningProcess[]> {
  const columns = ['pid=', 'ppid=', 'stat=', 'lstart=', 'comm='].flatMap(name => ['-o', name])
  try {
    const { stdout } = await run('ps', [...which, ...columns], {
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
      maxBuffer: 16 * 1024 * 1024,
    })
    return stdout.split('\n').flatMap(line => parsePsLine(line) ?? [])
  } catch {
    return []
  }
}

/** `  PID  PPID STAT Sun Nov 15 23:28:34 2026 COMMAND`. */
export function parsePsLine(line: string): RunningProcess | undefined {
  const [, pid, parent, state, born, command] =
    /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/.exec(line) ?? []
  if (!pid || !parent || !born || command === undefined || state?.startsWith('Z')) return undefined
  return { pid: Number(pid), parent: Number(parent), born: born.replaceAll(/\s+/g, ' '), command }
}
