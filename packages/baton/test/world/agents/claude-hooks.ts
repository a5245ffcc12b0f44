import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../wait.ts'
import type { ClaudeHome } from './claude.ts'

/** Plain shell hooks that keep what Claude Code sends them, and answer what the test says. */
export interface HookRecorder {
  /** For `settings:` of a run, `home.writeSettings`, or a plugin's hooks.json. */
  settings: { hooks: HookSettings }
  all: () => HookPayload[]
  seen: (event: string) => HookPayload[]
  /** The bytes as they came, in order of arrival. */
  raw: () => string[]
  /** The processes of the hooks that have begun, in no order. */
  pids: () => number[]
  waitFor: (event: string, fits?: (payload: HookPayload) => boolean) => Promise<HookPayload>
}

export type HookPayload = Record<string, unknown> & {
  hook_event_name: string
  session_id: string
  transcript_path: string
  cwd: string
}

export type HookSettings = Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>

export interface RecorderOptions {
  events: readonly string[]
  /** What a hook prints, by event. */
  answers?: Record<string, object>
  /** Lines of sh run after the payload is kept (in $payload) and before the answer. */
  meanwhile?: string
  /** Put into every hook entry: timeout, async … */
  entry?: Record<string, unknown>
}

export function recordHooks(home: ClaudeHome, options: RecorderOptions): HookRecorder {
  const folder = join(home.path, '..', `hooks-${recorders++}`)
  mkdirSync(folder)
  const script = join(folder, 'hook.sh')
  // Kept under a private name and renamed, so that a reader never sees half a payload.
  writeFileSync(
    script,
    `payload=$(mktemp "${folder}/XXXXXXXX")
cat >"$payload"
mv "$payload" "$payload.json"
payload=$payload.json
echo $$ >"$payload.pid"
${options.meanwhile ?? ''}
[ -f "${folder}/$1.answer" ] && cat "${folder}/$1.answer"
exit 0
`,
  )
  for (const [event, answer] of Object.entries(options.answers ?? {})) {
    writeFileSync(join(folder, `${event}.answer`), JSON.stringify(answer))
  }
  const raw = () =>
    readdirSync(folder)
      .filter(name => name.endsWith('.json'))
      .map(name => ({ file: join(folder, name), at: statSync(join(folder, name), { bigint: true }).mtimeNs }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .map(({ file }) => readFileSync(file, 'utf8'))
  const all = () => raw().map(text => JSON.parse(text) as HookPayload)
  const seen = (event: string) => all().filter(payload => payload.hook_event_name === event)
  const hooks = Object.fromEntries(
    options.events.map(event => {
      const entry = { type: 'command', command: `sh ${script} ${event}`, ...options.entry }
      return [event, [{ hooks: [entry] }]]
    }),
  )
  return {
    settings: { hooks },
    all,
    seen,
    raw,
    pids: () =>
      readdirSync(folder)
        .filter(name => name.endsWith('.pid'))
        .map(name => Number(readFileSync(join(folder, name), 'utf8')))
        .filter(pid => pid > 0),
    waitFor: (event, fits = () => true) =>
      until(() => seen(event).find(fits), {
        what: `a ${event} hook`,
        timeout: 120_000,
        evidence: () =>
          `hooks seen: ${
            all()
              .map(payload => payload.hook_event_name)
              .join(' ') || 'none'
          }`,
      }),
  }
}

let recorders = 0

/** Every event of Claude Code that hooks may listen to, as far as tests have met them. */
export const claudeEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'PreCompact',
  'PostCompact',
  'SessionEnd',
] as const
