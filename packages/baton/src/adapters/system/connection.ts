import { execFile } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { LocalConnection } from '../../ports/ancestry.ts'

const run = promisify(execFile)

/** Asks the kernel which processes hold the client's end of a loopback connection: /proc on Linux, `lsof` elsewhere. */
export async function clientProcesses(
  connection: LocalConnection,
  among?: readonly number[],
): Promise<number[]> {
  if (process.platform === 'linux') return await fromProc(connection, among)
  const found = await fromLsof(connection)
  return among ? found.filter(pid => among.includes(pid)) : found
}

/** Hooks wait for the same thread, so let others run after this many processes. */
const PROCESSES_PER_TICK = 20

async function fromProc(connection: LocalConnection, among?: readonly number[]): Promise<number[]> {
  const inode = clientInode(await readFile('/proc/net/tcp', 'latin1'), connection)
  if (inode === undefined) return []
  const found: number[] = []
  const pids = among?.map(String) ?? (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % PROCESSES_PER_TICK === 0) await nextTurn()
    if (holdsSocket(pid, `socket:[${inode}]`)) found.push(Number(pid))
  }
  return found
}

/** False for processes of other users and processes that have just ended, whose files cannot be listed. */
function holdsSocket(pid: string, socket: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some(name => linkTarget(`${folder}/${name}`) === socket)
  } catch {
    return false
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const LOOPBACK = endianness() === 'LE' ? '0100007F' : '7F000001'
const ESTABLISHED = '01'

/** The inode of the client's socket in /proc/net/tcp: `SL LOCAL REMOTE STATE QUEUES TIMER RETRIES UID TIMEOUT INODE …`. */
export function clientInode(table: string, { clientPort, serverPort }: LocalConnection): string | undefined {
  const address = (port: number) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const [local, remote] = [address(clientPort), address(serverPort)]
  for (const line of table.split('\n')) {
    const columns = line.trim().split(/\s+/)
    const inode = columns[9] ?? ''
    if (columns[1] === local && columns[2] === remote && columns[3] === ESTABLISHED)
      // A socket that no process holds any longer has inode 0.
      return /^[1-9]\d*$/.test(inode) ? inode : undefined
  }
  return undefined
}

const LSOF_MS = 10_000

async function fromLsof(connection: LocalConnection): Promise<number[]> {
  const which = ['-a', `-iTCP@127.0.0.1:${connection.clientPort}`, '-sTCP:ESTABLISHED']
  try {
    const { stdout } = await run('lsof', ['-w', '-nP', ...which, '-Fpn'], {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      timeout: LSOF_MS,
    })
    return lsofClients(stdout, connection)
  } catch {
    return []
  }
}

/** `lsof -Fpn`: a line `pPID` for each process, below it `fFILE` and `nLOCAL->REMOTE` for each of its connections. */
export function lsofClients(output: string, { clientPort, serverPort }: LocalConnection): number[] {
  const name = `n127.0.0.1:${clientPort}->127.0.0.1:${serverPort}`
  const found = new Set<number>()
  let pid = 0
  for (const line of output.split('\n')) {
    if (/^p\d+$/.test(line)) pid = Number(line.slice(1))
    else if (line === name && pid > 0) found.add(pid)
  }
  return [...found]
}
