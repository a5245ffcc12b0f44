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

// Run by itself it brings everything, or says plainly why the suite cannot run: 75 is "try again later".
if (import.meta.main) {
  try {
    await Promise.all([installVsce(), installVsCode()])
    if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: apt-get install chromium`)
  } catch (cause) {
    const [why] = String(cause instanceof Error ? cause.message : cause).split('\n')
    console.error(
      `The suite in real VS Code did NOT run, because its programs cannot be brought here: ${why}`,
    )
    process.exitCode = 75
  }
}
