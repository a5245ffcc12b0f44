import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { makeFolder } from './make-folder.ts'

/** The paths inside the state folder. The launchers have `daemon.sock` and `hook.log` hard-coded. */
export interface StateFolder {
  dir: string
  socket: string
  lock: string
  token: string
  /** The key in HTTP hooks of Baton 0.1. It opens nothing; by it the daemon recognizes them in settings. */
  httpHookKey: string
  /** Opens the MCP server over HTTP, and nothing else. */
  mcpKey: string
  endpoint: string
  database: string
  log: string
  hookLog: string
  launcher: string
}

export function stateFolder(dir: string): StateFolder {
  return {
    dir,
    socket: join(dir, 'daemon.sock'),
    lock: join(dir, 'daemon.lock'),
    token: join(dir, 'token'),
    httpHookKey: join(dir, 'observe-key'),
    mcpKey: join(dir, 'mcp-key'),
    endpoint: join(dir, 'endpoint.json'),
    database: join(dir, 'baton.db'),
    log: join(dir, 'daemon.log'),
    hookLog: join(dir, 'hook.log'),
    launcher: join(dir, 'bin', 'baton-hook'),
  }
}

/** Creates the folder if needed. Refuses a folder that other users control. */
export function openStateFolder(dir: string): StateFolder {
  try {
    makeFolder(dir, 0o700)
  } catch (cause) {
    throw folderProblem(dir, cause)
  }
  const stat = lstatSync(dir)
  if (stat.isSymbolicLink() || !stat.isDirectory()) {
    throw new BatonError('not_allowed', `Not a regular folder: ${dir}`, {
      remedy: 'Point BATON_HOME at a folder of your own.',
    })
  }
  const uid = process.getuid?.()
  if (uid !== undefined && stat.uid !== uid) {
    throw new BatonError('not_allowed', `${dir} belongs to another user`, {
      remedy: 'Point BATON_HOME at a folder of your own.',
    })
  }
  // Other users must not write here. Whether they may read is the user's choice.
  if ((stat.mode & 0o022) !== 0) chmodSync(dir, stat.mode & 0o755)
  return stateFolder(dir)
}

/** Why the folder cannot be created, in one sentence for the user; other failures stay as they are. */
export function folderProblem(dir: string, cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'EACCES' || code === 'EPERM') return closedFolder(dir, cause)
  // On a read-only file system, Node also reports a missing parent folder that it could not create.
  if (!['EROFS', 'ENOENT', 'ENOTDIR'].includes(code)) return cause
  const why = code === 'ENOTDIR' ? 'part of the path is not a folder' : 'its place cannot be written to'
  return new BatonError('not_allowed', `Baton's state folder cannot be created, because ${why}: ${dir}`, {
    remedy: 'Point BATON_HOME at a folder of your own that can be written to.',
    cause,
  })
}

/** Typically a second user with the HOME of the first, as after `sudo -u` or in a container. */
export function closedFolder(dir: string, cause: unknown): BatonError {
  const uid = process.getuid?.()
  const who = uid === undefined ? 'this user' : `this user (uid ${uid})`
  return new BatonError('not_allowed', `Baton's state folder cannot be opened by ${who}: ${dir}`, {
    remedy: 'Run Baton as the user whose HOME it is, or point BATON_HOME at a folder of your own.',
    cause,
  })
}
