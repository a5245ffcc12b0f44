import { existsSync } from 'node:fs'
import type { Programs } from '../../ports/programs.ts'

export interface DesktopParts {
  programs: Programs
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  /** The user id, to find the session bus, which the daemon's clean environment does not name. */
  uid: number | undefined
  onPath(program: string): boolean
}

const TIMEOUT_MS = 5000
/** The text is passed as an argument, never as part of the script. */
const SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap(line => ['-e', line])

/** Shows a desktop notification with osascript or notify-send. */
export function desktopNotifier({ programs, env, platform, uid, onPath }: DesktopParts) {
  return {
    name: 'desktop' as const,
    reaches: true,
    async send({ kind, title, text }: { kind: string; title: string; text: string }): Promise<boolean> {
      const isMac = platform === 'darwin'
      const program = isMac ? 'osascript' : 'notify-send'
      if (!onPath(program)) return false
      const urgency = kind === 'needs-input' || kind === 'trouble' ? 'critical' : 'normal'
      const args = isMac
        ? [...SCRIPT, title, text]
        : ['--app-name=Baton', `--urgency=${urgency}`, '--', title, withoutMarkup(text)]
      const call = { program, args, cwd: '/', env: environment(), input: '', withinMs: TIMEOUT_MS }
      const { code } = await programs.run(call, new AbortController().signal)
      return code === 0
    },
  }

  function environment(): Record<string, string> {
    const known = [
      'PATH',
      'HOME',
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'XDG_RUNTIME_DIR',
      'DBUS_SESSION_BUS_ADDRESS',
    ]
    const own = Object.fromEntries(
      known.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])),
    )
    const bus = `/run/user/${uid}/bus`
    const address =
      uid !== undefined && existsSync(bus) ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` } : {}
    return { ...address, ...own }
  }
}

/**
 * Desktops treat the body as markup, and an agent's text must not become a link. notify-send turns `\\074` into the
 * character of that number, so backslashes are escaped, too.
 */
const withoutMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\\', '\\\\')
