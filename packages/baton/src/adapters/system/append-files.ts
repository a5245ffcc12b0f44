import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AppendFile, AppendFiles } from '../../ports/append-files.ts'
import { FileError } from '../../ports/files.ts'
import { asFileError, systemFiles } from './files.ts'

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

/** Session files on the real file system. */
export const systemAppendFiles: AppendFiles = {
  open: path =>
    guarded(path, async () => {
      // Without O_NONBLOCK, opening a pipe would wait for its other end.
      const file = await open(path, O_RDWR | O_APPEND | O_NONBLOCK)
      if ((await file.stat()).isFile()) return appendFile(path, file)
      await file.close()
      throw new FileError('not-a-file', path)
    }),

  create: path =>
    guarded(path, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      return appendFile(path, await open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600))
    }),

  replace: (path, text) => systemFiles.replace(path, text, 0o600),

  async list(folder) {
    const names = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const found = names.flatMap(each => (each.isFile() ? each.name : []))
    const facts = await Promise.all(found.map(name => stat(join(folder, name)).catch(() => undefined)))
    return found.flatMap((name, i) => {
      const about = facts[i]
      return about ? [{ name, modifiedMs: about.mtimeMs, size: about.size }] : []
    })
  },
}

function appendFile(path: string, file: FileHandle): AppendFile {
  return {
    size: () => guarded(path, async () => (await file.stat()).size),
    read: (start, end) =>
      guarded(path, async () => {
        const bytes = Buffer.allocUnsafe(Math.max(end - start, 0))
        let length = 0
        while (length < bytes.length) {
          const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length)
          if (bytesRead === 0) break
          length += bytesRead
        }
        return bytes.subarray(0, length)
      }),
    append: text => guarded(path, () => file.writeFile(text)),
    sync: () => guarded(path, () => file.datasync()),
    close: () => file.close(),
  }
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw asFileError(cause, path)
  }
}
