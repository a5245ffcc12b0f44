import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type {
  Mirror,
  MirrorRequest,
  OutsideWork,
  RecordedRemote,
  RecordedRepository,
} from '../../ports/broker.ts'
import type { Ids } from '../../ports/ids.ts'
import { runOwnProgram } from './run-baton.ts'
import { follow, ghEnvironment, gitEnvironment, textOf } from './run-program.ts'
import { signText } from './sign.ts'

export interface OutsideOptions {
  /** The broker's own folder, in Baton's state folder. */
  folder: string
  /** The user's environment for a session, as its agent was started with. */
  environmentOf(session: string): Promise<NodeJS.ProcessEnv>
  /** Finds a program on a PATH, outside of all projects. */
  findProgram(name: 'git' | 'gh', path: string): string | undefined
  /** Baton's own program with the arguments before its command, and the variables by which it knows the session. */
  ownProgram(session: string): Promise<{ words: readonly string[]; env: NodeJS.ProcessEnv }>
  ids: Ids
}

/** Does the broker's work with the user's own git, gh and logins. Git never runs in the project's own repository. */
export function outsideWork(options: OutsideOptions): OutsideWork {
  const { folder, ids } = options
  const workFolder = async () => {
    const path = join(folder, 'work', ids.id(20))
    await mkdir(path, { recursive: true, mode: 0o700 })
    return path
  }
  return {
    recordRepository,
    setUpstream,
    async mirror(session, request) {
      await checkObjects(request.repository)
      const path = await workFolder()
      const env = gitEnvironment(await options.environmentOf(session))
      const git = options.findProgram('git', env.PATH ?? '') ?? 'git'
      await writeMirror(path, request)
      return mirrorAt(path, git, env)
    },
    async sign(session, text) {
      const env = gitEnvironment(await options.environmentOf(session))
      const path = await workFolder()
      try {
        const git = options.findProgram('git', env.PATH ?? '') ?? 'git'
        // Git looks for a repository in no folder above this one.
        return await signText(text, { git, folder: path, env: { ...env, GIT_CEILING_DIRECTORIES: folder } })
      } finally {
        await rm(path, { recursive: true, force: true })
      }
    },
    async runGh(session, args, input, streams) {
      const env = ghEnvironment(await options.environmentOf(session))
      const gh = options.findProgram('gh', env.PATH ?? '')
      if (gh === undefined) {
        streams.err('gh: command not found\n')
        return 127
      }
      const path = await workFolder()
      try {
        return await follow(gh, args, { cwd: path, env, input }, streams)
      } finally {
        await rm(path, { recursive: true, force: true })
      }
    },
    async runBaton(session, args, { folder: cwd, input, inside }, streams) {
      const { words, env } = await options.ownProgram(session)
      return runOwnProgram([...words, ...args], { cwd, env, input }, inside, streams)
    },
  }
}

/** Settings that a mirror's git never takes from anywhere else. */
const FIXED = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=false',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'core.logAllRefUpdates=false',
  'core.pager=cat',
  'core.quotePath=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'fetch.unpackLimit=1',
  'transfer.unpackLimit=1',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap(setting => ['-c', setting])

function mirrorAt(path: string, git: string, env: NodeJS.ProcessEnv): Mirror {
  const all = (args: readonly string[]) => ['--no-pager', ...FIXED, `--git-dir=${path}`, ...args]
  const text = (args: readonly string[]) => textOf(git, all(args), path, env)
  return {
    run: (args, streams) => follow(git, all(args), { cwd: path, env, input: '' }, streams),
    resolve: async name =>
      (await text(['rev-parse', '--verify', '-q', `${name}^{object}`]))?.trim() || undefined,
    async refs() {
      const said = await text(['for-each-ref', '--format=%(objectname) %(refname) %(symref)'])
      if (said === undefined) throw new Error('The refs of the remote cannot be read.')
      return said.split('\n').flatMap(line => {
        const [id, ref, target] = line.split(' ')
        return id && ref && !target ? [{ ref, id }] : []
      })
    },
    async packs() {
      const packs = join(path, 'objects/pack')
      return (await readdir(packs)).filter(name => name.endsWith('.pack')).map(name => join(packs, name))
    },
    fetchHead: () => readFile(join(path, 'FETCH_HEAD'), 'utf8').catch(() => undefined),
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

/** Writes the mirror's files itself: it needs no git for that, and no template of the user's gets into it. */
async function writeMirror(path: string, request: MirrorRequest): Promise<void> {
  const { repository, refs, head, shallow, settings } = request
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
    await mkdir(join(path, name), { recursive: true, mode: 0o700 })
  const isLong = refs.some(({ id }) => id.length === 64)
  const config: [string, string | undefined, string, string][] = [
    ['core', undefined, 'repositoryformatversion', isLong ? '1' : '0'],
    ['core', undefined, 'bare', 'true'],
    ...(isLong
      ? [['extensions', undefined, 'objectformat', 'sha256'] as [string, undefined, string, string]]
      : []),
    ...repository.remotes.flatMap(({ name, url, pushUrl, fetch }): typeof config => [
      ['remote', name, 'url', url],
      ...(pushUrl === url ? [] : [['remote', name, 'pushurl', pushUrl] as [string, string, string, string]]),
      ...fetch.map((spec): [string, string, string, string] => ['remote', name, 'fetch', spec]),
    ]),
    ...settings.flatMap(([key, value]): typeof config => {
      const [, section = '', name, last = ''] = /^([a-z]+)\.(?:(.+)\.)?([a-z]+)$/.exec(key) ?? []
      return section ? [[section, name, last, value]] : []
    }),
  ]
  await writeFile(join(path, 'config'), config.map(configLines).join(''), { mode: 0o600 })
  await writeFile(join(path, 'HEAD'), `ref: ${head ?? 'refs/heads/baton-none'}\n`)
  await writeFile(join(path, 'objects/info/alternates'), `${repository.objects}\n`)
  await writeFile(join(path, 'packed-refs'), refs.map(({ ref, id }) => `${id} ${ref}\n`).join(''))
  if (shallow.length > 0) await writeFile(join(path, 'shallow'), shallow.map(id => `${id}\n`).join(''))
}

function configLines([section, name, key, value]: [string, string | undefined, string, string]): string {
  const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  if (/[\x00-\x1f\x7f]/.test(`${name ?? ''}${value}`))
    throw new Error('A name in the git configuration is not valid.')
  return `[${section}${name === undefined ? '' : ` ${quoted(name)}`}]\n\t${key} = ${quoted(value)}\n`
}

/** The objects must be where they were, and borrow from nowhere else: else a push could carry another project's. */
async function checkObjects({ objects, alternates }: RecordedRepository): Promise<void> {
  const isSame =
    (await realpath(objects)) === objects &&
    (await readShort(join(objects, 'info/alternates'))) === alternates
  if (!isSame) throw new Error('The objects of this repository are not where they were. Ask the user.')
}

/** Reads no link and no device. */
async function readShort(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  )
  if (!file) return (await lstat(path).catch(() => undefined)) ? 'unreadable' : ''
  try {
    const facts = await file.stat()
    return facts.isFile() && facts.size < 100_000 ? await file.readFile('utf8') : 'unreadable'
  } finally {
    await file.close()
  }
}

/** Before the first command: the configuration is the user's own, and stays read-only inside. */
async function recordRepository(worktree: string): Promise<RecordedRepository | undefined> {
  const git = (args: readonly string[]) =>
    textOf(
      'git',
      ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit', ...args],
      worktree,
      {
        ...gitEnvironment(process.env),
        GIT_ALLOW_PROTOCOL: 'none',
      },
    )
  const top = (await git(['rev-parse', '--show-toplevel']))?.trimEnd()
  const common = (await git(['rev-parse', '--git-common-dir']))?.trimEnd()
  if (!top || !common || (await realpath(top)) !== worktree) return undefined
  const folder = await realpath(resolve(worktree, common))
  const objects = join(folder, 'objects')
  // The file of borrowed objects has one path in each line, and some characters mean more.
  if ((await realpath(objects).catch(() => '')) !== objects || /[\n"#]/.test(objects)) return undefined
  const remotes: RecordedRemote[] = []
  for (const name of (await git(['remote']))?.split('\n').filter(Boolean) ?? []) {
    const [url, pushUrl, fetch] = await Promise.all([
      git(['remote', 'get-url', '--', name]),
      git(['remote', 'get-url', '--push', '--', name]),
      git(['config', '--get-all', `remote.${name}.fetch`]),
    ])
    const addresses = [url, pushUrl].map(each => each && addressOf(each.trimEnd(), worktree))
    if (addresses[0] && addresses[1])
      remotes.push({
        name,
        url: addresses[0],
        pushUrl: addresses[1],
        fetch: fetch?.split('\n').filter(Boolean) ?? [],
      })
  }
  const alternates = await readShort(join(objects, 'info/alternates'))
  return { worktree, objects, configFile: join(folder, 'config'), alternates, remotes }
}

/** An address that starts no program of its own choice. */
function addressOf(url: string, worktree: string): string | undefined {
  if (url === '' || url.startsWith('-') || /[\x00-\x1f\x7f]/.test(url) || /^[\w+.-]+::/.test(url))
    return undefined
  if (/^(https?|ssh|git|git\+ssh|ssh\+git|file):\/\//.test(url) || isAbsolute(url)) return url
  if (/^[a-z][\w+.-]*:\/\//i.test(url)) return undefined
  return /^[^/:]+:/.test(url) ? url : resolve(worktree, url)
}

/** Appends: the file stays the one that the sandbox protects, and a daemon that is killed leaves it whole. */
async function setUpstream(
  { configFile }: RecordedRepository,
  branch: string,
  remote: string,
  merge: string,
): Promise<string | undefined> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW
  const file = await open(configFile, flags).catch(() => undefined)
  if (!file)
    return `note: the upstream of ${branch} was not recorded; git's configuration cannot be written.\n`
  try {
    const text = await file.readFile('utf8')
    const has = async (key: string) =>
      (
        await textOf(
          'git',
          ['config', '--file', configFile, '--get-all', key],
          '/',
          gitEnvironment(process.env),
        )
      )?.trimEnd()
    const [now, merged] = await Promise.all([has(`branch.${branch}.remote`), has(`branch.${branch}.merge`)])
    if (now === remote && merged === merge) return undefined
    if (now !== undefined || merged !== undefined)
      return `note: ${branch} already follows ${now} ${merged}; this was not changed.\n`
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    const lines = [
      ['branch', branch, 'remote', remote],
      ['branch', branch, 'merge', merge],
    ] as [string, string, string, string][]
    await file.appendFile(gap + lines.map(configLines).join(''))
    return undefined
  } finally {
    await file.close()
  }
}
