import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { type ConfigKey, configKeys } from '../packages/baton/src/config/keys.ts'
import { showValue } from '../packages/baton/src/config/render.ts'
import { configJsonSchema } from '../packages/baton/src/config/schema.ts'
import { valueAt } from '../packages/baton/src/config/trust.ts'

/** The files generated from the configuration's schema: path in the repository → content. */
export function generatedConfigFiles(): Record<string, string> {
  return {
    'docs/schema/baton.schema.json': formatted(configJsonSchema()),
    'docs/reference/config.md': reference(),
  }
}

/** Writes the files; with `check`, only returns which are stale. */
export function generateConfig(root: string, { check = false } = {}): string[] {
  const stale = Object.entries(generatedConfigFiles()).filter(
    ([path, content]) => contentOf(join(root, path)) !== content,
  )
  if (!check)
    for (const [path, content] of stale) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
  return stale.map(([path]) => path)
}

/** JSON in the formatter's style: a list of plain values on one line if it fits. */
function formatted(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  const short = text.replace(
    /(?<=^( *).*)\[\n([^[\]{}]*?)\n *\]/gm,
    (whole, indent: string, items: string) => {
      const line = `[${items.trim().replace(/\n */g, ' ')}]`
      return indent.length + line.length < 90 ? line : whole
    },
  )
  return `${short}\n`
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const sections: Record<string, string> = {
  handsoff: 'Hands-off mode',
  telegram: 'Telegram',
  store: 'Store',
  journal: 'Journal',
  daemon: 'Daemon',
  permission: 'Permission',
  permissions: 'Permission rules',
  budget: 'Budget',
  workflows: 'Workflows',
}

function reference(): string {
  const bySection = Map.groupBy(configKeys(), key => key.path[0] ?? '')
  const tables = [...bySection].map(
    ([section, keys]) => `### ${sections[section] ?? section}\n\n${table(keys)}`,
  )
  return `${preface}\n## Keys\n\n${tables.join('\n\n')}\n\n${closing}`
}

function table(keys: readonly ConfigKey[]): string {
  const defaults = Config.parse({})
  const rows = keys.map(({ name, path, facts, description }) => {
    const fallback = facts.defaultText ?? `\`${showValue(valueAt(defaults, path), facts)}\``
    const trust = {
      needed: 'after `baton trust`',
      'to-loosen': 'to be stricter; else after `baton trust`',
      none: 'yes',
    }
    const cells = [`\`${name}\``, facts.expects, fallback, trust[facts.trust ?? 'none'], description]
    return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| Key | Value | Default | Counts in a project | Meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  )
}

const variables = configKeys()
  .filter(({ facts }) => facts.env)
  .map(
    ({ name, facts }) => `| \`${name}\` | ${facts.env?.map(variable => `\`${variable}\``).join(', then ')} |`,
  )
  .join('\n')

const cautious = configKeys()
  .filter(({ facts }) => facts.whenBroken !== undefined)
  .map(({ name, facts }) => `\`${name}: ${String(facts.whenBroken)}\``)
  .join(', ')

const preface = `<!-- Generated from packages/contract/src/config.ts by scripts/generate-config.ts: change it there. -->
# Configuration

Baton reads YAML from up to three places, nearest first:

1. \`.baton.yaml\` at the root of the project's worktree,
2. \`$BATON_HOME/.baton.yaml\` (\`AGENTIZE_HOME\` works, too),
3. \`$HOME/.baton.yaml\`.

If a place has no \`.baton.yaml\`, Baton reads its \`.agentize.local.yaml\` instead.
The nearest file wins, key by key. Permission rules are the exception: the rules of all files apply together, so a project cannot remove your denies.

\`\`\`yaml
# ~/.baton.yaml
handsoff:
  max_continuations: 20
permissions:
  deny:
    - "^git push --force"
telegram:
  enabled: true
  chat_id: 12345678
\`\`\`

\`baton config\` prints every current value with the file and line it comes from; \`baton config handsoff\` only that section; \`baton config handsoff.enabled\` only the value; \`--json\` is for programs.

## Trust

A cloned repository is not yours. Its file can always deny, ask and change plain settings; a setting that could loosen something, run a command or open a channel takes effect only after you have read the file and run \`baton trust\`. Until then, Baton ignores the setting, and \`baton config\` says so. Trust applies to the exact bytes of the file: any change ends it. \`baton trust --list\` shows what you trust, \`baton trust --remove\` withdraws it.

Baton rejects a project's file that is a link out of the project. Your own two files need no trust, but Baton rejects them if another user owns them or can write to them.

## Secrets

Keep secrets in the daemon's environment, which takes precedence over every file. Baton never shows them: not in \`baton config\`, in errors or in logs.

| Key | Environment variable |
|---|---|
${variables}
`

const closing = `For true and false you can also write \`on\`, \`off\`, \`yes\` and \`no\`. Write sizes with B, KB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024).

## When a file is wrong

Each wrong key or value gives one error with file, line and column, what Baton expects and, for a misspelt key, the one you may have meant. A running daemon keeps the last good configuration, notifies you once, and loads the file when it is fixed. A daemon that starts with a broken file uses its valid parts (your denies above all) and is cautious until the file is fixed: ${cautious}.

A file can have at most 1 MB and must be UTF-8.

## Completion in your editor

\`baton config --schema\` prints the JSON Schema of the file ([the same](../schema/baton.schema.json)). Save it and name it in the first line of your configuration; editors with the YAML language server (VS Code, Neovim, JetBrains, Zed) then complete and check it as you type:

\`\`\`yaml
# yaml-language-server: $schema=./baton.schema.json
\`\`\`
`

if (import.meta.main) {
  const check = process.argv.includes('--check')
  const stale = generateConfig(join(import.meta.dirname, '..'), { check })
  for (const path of stale) console.log(`${check ? 'stale' : 'wrote'} ${path}`)
  if (check && stale.length > 0) {
    console.error('Run `node scripts/generate-config.ts` and commit what it writes.')
    process.exitCode = 1
  }
}
