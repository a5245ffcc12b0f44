import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installProgram } from '../../../../packages/baton/test/world/agents/install.ts'

const run = promisify(execFile)

const CODE_SERVER = { package: 'code-server', version: '4.139.1', bin: 'code-server' } as const
const VSCE = { package: '@vscode/vsce', version: '4.1.0', bin: 'vsce' } as const

/** Microsoft's packager of extensions. */
export const installVsce = (): Promise<string> => installProgram('vsce', VSCE)

/** VS Code itself, served to a browser. About half a minute and half a gigabyte, once per machine. */
export const installVsCode = (): Promise<string> =>
  installProgram('code-server', CODE_SERVER, { prepare: bringVsCode })

/** The browser that shows it; Debian's, because browsers cannot be had from the npm registry. */
export const CHROMIUM = '/usr/bin/chromium'

/**
 * What the package's own script does, without compiling: of the native parts only the watchdog is needed, and
 * what it does (end the extension host when its server is gone) takes a line of JavaScript.
 */
async function bringVsCode(folder: string): Promise<void> {
  const vscode = join(folder, 'lib', 'vscode')
  const quiet = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet], { cwd: vscode, maxBuffer: 1 << 26, timeout: 300_000 })
  const built = join(vscode, 'node_modules', '@vscode', 'native-watchdog', 'build', 'Release')
  await mkdir(built, { recursive: true })
  await writeFile(join(built, 'watchdog.js'), WATCHDOG)
}

const WATCHDOG = `exports.start = pid => {
  setInterval(() => {
    try { process.kill(pid, 0) } catch { process.exit(87) }
  }, 1000).unref()
}
exports.exit = code => process.exit(code)
`

/** npm's messages for a registry that is unreachable, does not have the package, or does not answer. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[0-9]|E50[0-9])\b/

// Run directly, it installs everything. Exit code 75: not available here, which is not a failure of the code.
if (import.meta.main) {
  const say = (why: string) =>
    console.error(
      `\nThe suite in real VS Code did NOT run, because its programs cannot be had here: ${why}\n`,
    )
  try {
    await Promise.all([installVsce(), installVsCode()])
    if (!existsSync(CHROMIUM)) {
      say(`${CHROMIUM} is missing (apt-get install chromium)`)
      process.exitCode = 75
    }
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    const timedOut = cause instanceof Error && 'killed' in cause && cause.killed === true
    const found = UNREACHABLE.exec(text)?.[0]
    if (!timedOut && found === undefined) throw cause
    say(timedOut ? 'the download took too long' : `the package registry says ${found}`)
    process.exitCode = 75
  }
}
