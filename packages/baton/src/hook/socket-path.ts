import { basename, dirname } from 'node:path'

/** The kernel's limit for a socket's path, with a margin (104 bytes on macOS). */
const MAX_SOCKET_PATH_LENGTH = 100

/** A path too long for the kernel is reached by its name from inside its folder: this moves there. */
export function shortSocketPath(path: string): string {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_LENGTH) return path
  try {
    process.chdir(dirname(path))
  } catch {
    // No folder, so no socket in it either: connecting says so.
    return path
  }
  return basename(path)
}
