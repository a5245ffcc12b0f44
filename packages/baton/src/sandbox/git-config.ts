/** Settings of a repository that start no program and read no other file. `*` is the name of any subsection. */
const HARMLESS = new Set([
  'core.repositoryformatversion',
  'core.filemode',
  'core.bare',
  'core.logallrefupdates',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.symlinks',
  'core.autocrlf',
  'core.eol',
  'core.safecrlf',
  'core.quotepath',
  'core.abbrev',
  'user.name',
  'user.email',
  'init.defaultbranch',
  'remote.*.url',
  'remote.*.fetch',
  'remote.*.tagopt',
  'remote.*.prune',
  'branch.*.remote',
  'branch.*.merge',
  'branch.*.rebase',
  'submodule.*.url',
  'submodule.*.active',
  'submodule.active',
  'commit.gpgsign',
  'tag.gpgsign',
  'pull.rebase',
  'pull.ff',
  'push.default',
  'push.autosetupremote',
  'merge.conflictstyle',
  'merge.ff',
  'gc.auto',
  'maintenance.auto',
  'receive.denycurrentbranch',
  'receive.denynonfastforwards',
  'extensions.objectformat',
  'extensions.refstorage',
])

const SECTION = /^\[\s*([A-Za-z0-9-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]$/
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)(?:\s*=\s*(.*))?$/

/** The first line of a git configuration that is not known to be harmless; undefined if all are. */
export function riskyLine(config: string): string | undefined {
  let section = ''
  for (const raw of config.split(/\r?\n/)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    // A continued line could hide another setting from a reader of single lines.
    if (line.endsWith('\\')) return line
    const header = SECTION.exec(line)
    if (header) {
      section = header[2] === undefined ? (header[1] ?? '') : `${header[1]}.*`
      continue
    }
    const key = SETTING.exec(line)?.[1]
    if (key === undefined || !HARMLESS.has(`${section}.${key}`.toLowerCase())) return line
  }
  return undefined
}
