import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { StateFolder } from '../config/state-folder.ts'
import { stateArgument } from '../hook/spawn.ts'

/** What the last daemon wrote about itself. It may still run, or its pid may belong to another program by now. */
export interface Endpoint {
  pid: number | undefined
  url: string | undefined
}

export function lastEndpoint({ endpoint }: StateFolder): Endpoint {
  try {
    const kept: unknown = JSON.parse(readFileSync(endpoint, 'utf8'))
    const { pid, url }: { pid?: unknown; url?: unknown } = typeof kept === 'object' && kept ? kept : {}
    return {
      pid: Number.isInteger(pid) ? Number(pid) : undefined,
      url: typeof url === 'string' && /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url) ? url : undefined,
    }
  } catch {
    return { pid: undefined, url: undefined }
  }
}

/** Whether the pid is a daemon of this state folder, and not another program that got the same pid. */
export function isOurDaemon(pid: number, stateDir: string): boolean {
  return (
    commandLine(pid)
      ?.trimEnd()
      .endsWith(`daemon.js ${stateArgument(stateDir)}`) ?? false
  )
}

function commandLine(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}
