import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { LoginLink } from '@batonpass/contract/dashboard'
import type { StateFolder } from '../../config/state-folder.ts'
import { replaceFile } from '../../daemon/secret-file.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, ensureDaemon, folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'

/** Prints a link that lets one browser or editor in, once. Only a person gets one: it answers asks. */
export const dashboard: Handler = async (given, io) => {
  const folder = folderOf(io)
  await ensureDaemon(folder, io)
  if (flag(given, 'logout')) {
    await callDaemon(folder, 'POST', '/api/page/logout-all')
    io.stdout.write('Every browser and editor is logged out.\n')
    return EXIT.ok
  }
  const link = await loginLink(folder)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(link)}\n`)
  else io.stdout.write(`${link.url}\n`)
  if (flag(given, 'open')) await openInBrowser(link.url, folder, io)
  return EXIT.ok
}

export async function loginLink(folder: StateFolder): Promise<LoginLink> {
  return LoginLink.parse(await callDaemon(folder, 'POST', '/api/page/link'))
}

/** How long the browser may take to read the file that leads it on. */
const READ_MS = 3000

/** By way of a private file: other users of the machine can read the command line of a browser, and the code in it. */
async function openInBrowser(url: string, folder: StateFolder, io: Io): Promise<void> {
  const file = join(folder.dir, `open-${process.pid}.html`)
  replaceFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, 0o600)
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  try {
    const child = spawn(opener, [file], { env: io.env, stdio: 'ignore', detached: true })
    child.once('error', () => io.stderr.write('Could not open a browser; open the link yourself.\n'))
    child.unref()
    await new Promise(resolve => setTimeout(resolve, READ_MS))
  } finally {
    rmSync(file, { force: true })
  }
}
