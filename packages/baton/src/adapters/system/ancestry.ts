import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Ancestry, ProcessFacts } from '../../ports/ancestry.ts'

const run = promisify(execFile)

/** A longer chain of parents is a mistake of ours. */
const MAX_DEPTH = 200

/** The real processes: from /proc on Linux, from `ps` elsewhere. */
export const systemAncestry: Ancestry = {
  async of(pid) {
    const read = process.platform === 'linux' ? fromProc : fromPs
    const chain: ProcessFacts[] = []
    for (let next = pid; chain.length < MAX_DEPTH; ) {
      const found = await read(next).catch(() => undefined)
      if (!found) return undefined
      chain.push(found.facts)
      // The first process, and one whose parent is outside of this container, have none.
      if (found.parent === 0) return chain
      next = found.parent
    }
    return undefined
  },

  async holds(pid, file) {
    if (process.platform !== 'linux') return undefined
    try {
      const wanted = await realpath(file)
      const open = await readdir(`/proc/${pid}/fd`)
      const files = await Promise.all(
        open.map(fd => readlink(`/proc/${pid}/fd/${fd}`).catch(() => undefined)),
      )
      return files.includes(wanted)
    } catch {
      return false
    }
  },
}

type Found = { facts: ProcessFacts; parent: number }

async function fromProc(pid: number): Promise<Found> {
  const folder = `/proc/${pid}`
  const [stat, cmdline, program, environ] = await Promise.all([
    readFile(`${folder}/stat`, 'utf8'),
    readFile(`${folder}/cmdline`, 'utf8'),
    // Of another user's process neither is told.
    readlink(`${folder}/exe`).catch(() => undefined),
    readFile(`${folder}/environ`, 'latin1').catch(() => ''),
  ])
  const { parent, terminal, name } = parseStat(stat)
  const words = cmdline.split('\0').filter(Boolean)
  return {
    parent,
    facts: {
      pid,
      words: words.length > 0 ? words : [name],
      program,
      terminal,
      environment: environ.split('\0').map(pair => pair.split('=')[0] ?? ''),
    },
  }
}

/** `PID (NAME) STATE PPID PGRP SESSION TTY …`: the name may hold anything, even `) S 1`. */
export function parseStat(stat: string): { parent: number; terminal: boolean; name: string } {
  const end = stat.lastIndexOf(')')
  const [, parent, , , tty] = stat.slice(end + 2).split(' ')
  if (end < 0 || !/^\d+$/.test(parent ?? '')) throw new Error('not a line of /proc/PID/stat')
  return { parent: Number(parent), terminal: Number(tty) !== 0, name: stat.slice(stat.indexOf('(') + 1, end) }
}

async function fromPs(pid: number): Promise<Found> {
  const { stdout } = await run(
    'ps',
    ['-ww', '-o', 'ppid=', '-o', 'tty=', '-o', 'command=', '-p', String(pid)],
    {
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    },
  )
  const { parent, terminal, command } = parsePs(stdout)
  return {
    parent,
    facts: {
      pid,
      words: command.split(/\s+/).filter(Boolean),
      program: undefined,
      terminal,
      environment: [],
    },
  }
}

/** `  PPID TTY COMMAND…`; without a terminal the second column is `?`, `??` or `-`. */
export function parsePs(line: string): { parent: number; terminal: boolean; command: string } {
  const [, parent, tty, command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/s.exec(line.trimEnd()) ?? []
  if (parent === undefined) throw new Error('not a line of ps')
  return { parent: Number(parent), terminal: !/^(\?+|-)$/.test(tty ?? '?'), command }
}
