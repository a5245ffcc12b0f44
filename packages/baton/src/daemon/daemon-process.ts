import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stateArgument } from '../hook/spawn.ts'

/** True only when that PID is a daemon of this state folder, and not a program that got its old number. */
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
