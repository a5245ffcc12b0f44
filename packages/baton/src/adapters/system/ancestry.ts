import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Ancestry, ProcessFacts } from '../../ports/ancestry.ts'
import { clientProcesses } from './connection.ts'

const run = promisify(execFile)

/** A longer chain of parents would be a bug in this code. */
const MAX_DEPTH = 200

/** The real processes: from /proc on Linux, from `ps` elsewhere. */
export const systemAncestry: Ancestry = {
  async ancestorsOf(pid) {
    const readProcess = process.platform === 'linux' ? fromProc : await psReader()
    const chain: ProcessFacts[] = []
    for (let next = pid; chain.length < MAX_DEPTH; ) {
      const found = await readProcess(next).catch(() => undefined)
      if (!found) return undefined
      chain.push(found.facts)
      // The first process has no parent, nor has one whose parent is outside this container.
      if (found.parent === 0) return chain
      next = found.parent
    }
    return undefined
  },

  clientsOf: clientProcesses,
}

export type Found = { facts: ProcessFacts; parent: number }

async function fromProc(pid: number): Promise<Found> {
  const folder = `/proc/${pid}`
  const [stat, cmdline, program, environ] = await Promise.all([
    readFile(`${folder}/stat`, 'utf8'),
    readFile(`${folder}/cmdline`, 'utf8'),
    // Not readable for processes of other users.
    readlink(`${folder}/exe`).catch(() => undefined),
    readFile(`${folder}/environ`, 'latin1').catch(() => ''),
  ])
  const { parent, session, terminal, name } = parseStat(stat)
  const args = cmdline.split('\0').filter(Boolean)
  return {
    parent,
    facts: {
      pid,
      words: args.length > 0 ? args : [name],
      program,
      terminal,
      sessionLeader: session,
      environment: environ.split('\0').map(pair => pair.split('=')[0] ?? ''),
    },
  }
}

/** `PID (NAME) STATE PPID PGRP SESSION TTY …`: the name may contain anything, even `) S 1`. */
export function parseStat(stat: string): {
  parent: number
  session: number
  terminal: boolean
  name: string
} {
  const end = stat.lastIndexOf(')')
  const [, parent, , session, tty] = stat.slice(end + 2).split(' ')
  if (end < 0 || !/^\d+$/.test(parent ?? '')) throw new Error('not a line of /proc/PID/stat')
  return {
    parent: Number(parent),
    session: Number(session),
    terminal: Number(tty) !== 0,
    name: stat.slice(stat.indexOf('(') + 1, end),
  }
}

/** Reads all processes with two runs of `ps`, however long the chain of parents is. */
async function psReader(): Promise<(pid: number) => Promise<Found>> {
  const ps = async (...columns: string[]) =>
    (
      await run('ps', ['-A', '-ww', ...columns.flatMap(column => ['-o', `${column}=`])], {
        env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
        maxBuffer: MAX_TABLE_BYTES,
      })
    ).stdout
  const table = Promise.all([ps('pid', 'ppid', 'tty', 'command'), ps('pid', 'comm')]).then(
    ([commands, programs]) => readPs(commands, programs),
  )
  return async pid => {
    const found = (await table).get(pid)
    if (!found) throw new Error(`no process ${pid}`)
    return found
  }
}

const MAX_TABLE_BYTES = 64 * 1024 * 1024

/**
 * `PID PPID TTY COMMAND…` and `PID PROGRAM` of every process. Without a terminal the third column is `?`, `??` or `-`. The
 * program is a whole path on macOS, where it may contain spaces.
 */
export function readPs(commands: string, programs: string): Map<number, Found> {
  const programOf = new Map<number, string>()
  for (const line of programs.split('\n')) {
    const [, pid, program] = /^\s*(\d+)\s+(\S.*?)\s*$/.exec(line) ?? []
    if (program !== undefined) programOf.set(Number(pid), program)
  }
  const table = new Map<number, Found>()
  for (const line of commands.split('\n')) {
    const [, id, parent, tty = '?', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line) ?? []
    if (id === undefined) continue
    const pid = Number(id)
    const facts: ProcessFacts = {
      pid,
      words: command.split(/\s+/).filter(Boolean),
      program: programOf.get(pid),
      terminal: !/^(\?+|-)$/.test(tty),
      environment: [],
    }
    table.set(pid, { parent: Number(parent), facts })
  }
  return table
}
