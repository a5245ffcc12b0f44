import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { adapters } from '../../src/adapters/agents/registry.ts'
import { batonIn } from '../world/baton.ts'
import { scratch } from '../world/scratch.ts'

/** Settings as people have them, with comments where the agent takes them. */
const SETTINGS = {
  claude:
    '{\n  // mine\n  "model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},\n}\n',
  codex: '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done","timeout":5}]}]}}',
  'codex config': 'model = "o5" # mine\n\n[tui]\nnotifications = true\n',
  gemini: '/* mine */ {\r\n  "ui": { "theme": "Dracula" }, // dark\r\n  "hooks": {}\r\n}',
  cursor: '{ "version": 1, "hooks": { "stop": [ { "command": "./done.sh" } ] } }\n\n',
  'opencode plugin': 'export const Mine = async () => ({})\n',
  'copilot hooks': '{"version":1,"hooks":{}}',
  'pi extension': 'export default function () {}\n',
}

/** Where each of them stands, as seen from where an agent's folder is. */
const usual = (home: string): Record<keyof typeof SETTINGS, string> => ({
  claude: join(home, '.claude/settings.json'),
  codex: join(home, '.codex/hooks.json'),
  'codex config': join(home, '.codex/config.toml'),
  gemini: join(home, '.gemini/settings.json'),
  cursor: join(home, '.cursor/hooks.json'),
  'opencode plugin': join(home, '.config/opencode/plugin/mine.js'),
  'copilot hooks': join(home, '.copilot/hooks/mine.json'),
  'pi extension': join(home, '.pi/agent/extensions/mine.ts'),
})

test.each(['where they usually are', 'where variables say', 'that are not there yet'])(
  'the hooks of all agents go into settings %s and out again to the byte',
  async how => {
    await using folder = scratch('be-')
    const home = join(folder.path, 'home')
    const moved = join(folder.path, 'moved')
    for (const each of [home, moved, join(folder.path, 'project')]) mkdirSync(each)
    const env: Record<string, string> =
      how === 'where variables say'
        ? {
            CLAUDE_CONFIG_DIR: join(moved, '.claude'),
            CODEX_HOME: join(moved, '.codex'),
            GEMINI_CLI_HOME: moved,
            COPILOT_HOME: join(moved, '.copilot'),
            XDG_CONFIG_HOME: join(moved, '.config'),
            PI_CODING_AGENT_DIR: join(moved, '.pi/agent'),
          }
        : {}
    const places = { ...usual(how === 'where variables say' ? moved : home), cursor: usual(home).cursor }
    if (how !== 'that are not there yet')
      for (const [name, path] of Object.entries(places)) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, SETTINGS[name as keyof typeof SETTINGS], { mode: 0o600 })
      }
    await using baton = batonIn(home, join(folder.path, 'project'))
    const before = everythingIn(folder.path)

    const init = await baton.run(['init', '--agent', 'all', '--json'], { env })
    expect(init).toMatchObject({ code: 0 })
    const { changed } = JSON.parse(init.stdout)
    // Gemini CLI gets a policy, too.
    expect(changed).toHaveLength(adapters.length + 1)
    if (how === 'where variables say')
      expect(changed.filter((path: string) => path.startsWith(`${home}/`))).toEqual([places.cursor])
    const doctor = await baton.run(['doctor', '--json'], { env })
    const { checks } = JSON.parse(doctor.stdout)
    const hooks = checks.filter(({ message }: { message: string }) => /hooks in user settings/.test(message))
    expect(hooks).toHaveLength(adapters.length)
    // Its person has let none of them run yet, wherever its folder is.
    expect(JSON.stringify(checks)).toContain('11 of its 11 hooks do not run')
    const again = await baton.run(['init', '--agent', 'all', '--json'], { env })
    expect(JSON.parse(again.stdout).changed).toEqual([])

    expect(await baton.run(['uninstall', '--yes'], { env })).toMatchObject({ code: 0 })
    expect(everythingIn(folder.path)).toEqual(before)
  },
  60_000,
)

/** Every file and folder with its mode and bytes. */
function everythingIn(folder: string): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const found = lstatSync(join(folder, name))
    const mode = (found.mode & 0o777).toString(8)
    all[name] = found.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(join(folder, name), 'utf8')}`
  }
  return all
}
