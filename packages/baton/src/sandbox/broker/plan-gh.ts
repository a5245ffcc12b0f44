import type { RecordedRepository } from '../../ports/broker.ts'
import { repositoryOf } from '../../ports/remote.ts'
import { type KnownOptions, readOptions } from './read-options.ts'

export type GhPlan =
  | { kind: 'refused'; reason: string }
  | {
      kind: 'gh'
      /** What rules judge and a person reads. */
      shown: readonly string[]
      args: readonly string[]
      /** The file inside whose text goes to standard input; `-` is standard input itself. */
      input: string | undefined
    }

interface GhCommand extends KnownOptions {
  /** How the pull request of the current branch is named. */
  branch?: 'selector' | 'head'
  /** How the repository is named: by an option, as an argument, or only its host. */
  repository?: 'argument' | 'host'
}

const words = (text: string): string[] => text.split(' ').filter(Boolean)
const command = (
  flags: string,
  valued: string,
  more: Omit<GhCommand, 'flags' | 'valued'> = {},
): GhCommand => ({
  flags: words(flags),
  valued: words(valued),
  ...more,
})

const BODY = '-b --body -F --body-file'
const JSON_OUT = '--json -q --jq'
const LABELS =
  '--add-label --remove-label --add-assignee --remove-assignee --add-project --remove-project -m --milestone'

/**
 * What agents do on the forge, with every option that the broker lets pass: none opens a browser or an editor, writes a
 * file, runs a program or shows a login.
 */
const COMMANDS: Readonly<Record<string, GhCommand>> = {
  'pr create': command(
    '-d --draft --no-maintainer-edit',
    `-t --title ${BODY} -B --base -H --head -a --assignee -l --label -r --reviewer -m --milestone -p --project`,
    { branch: 'head' },
  ),
  'pr view': command('-c --comments', JSON_OUT, { branch: 'selector' }),
  'pr list': command(
    '-d --draft',
    `-s --state -L --limit -A --author -a --assignee -l --label -S --search -B --base -H --head ${JSON_OUT}`,
  ),
  'pr status': command('', JSON_OUT),
  'pr diff': command('--name-only --patch', '--color', { branch: 'selector' }),
  'pr checks': command('--required --watch --fail-fast', `-i --interval ${JSON_OUT}`, { branch: 'selector' }),
  'pr comment': command('--edit-last', BODY, { branch: 'selector' }),
  'pr edit': command('', `-t --title ${BODY} -B --base --add-reviewer --remove-reviewer ${LABELS}`, {
    branch: 'selector',
  }),
  'pr ready': command('--undo', '', { branch: 'selector' }),
  'pr review': command('-a --approve -c --comment -r --request-changes', BODY, { branch: 'selector' }),
  'pr close': command('', '-c --comment', { branch: 'selector' }),
  'pr reopen': command('', '-c --comment', { branch: 'selector' }),
  'pr merge': command(
    '-m --merge -s --squash -r --rebase --auto --disable-auto',
    `-t --subject ${BODY} --match-head-commit`,
    { branch: 'selector' },
  ),
  'issue create': command('', `-t --title ${BODY} -a --assignee -l --label -m --milestone -p --project`),
  'issue view': command('-c --comments', JSON_OUT),
  'issue list': command(
    '',
    `-s --state -L --limit -A --author -a --assignee -l --label -S --search -m --milestone ${JSON_OUT}`,
  ),
  'issue status': command('', JSON_OUT),
  'issue comment': command('--edit-last', BODY),
  'issue edit': command('', `-t --title ${BODY} ${LABELS}`),
  'issue close': command('', '-c --comment -r --reason'),
  'issue reopen': command('', '-c --comment'),
  'run list': command('', `-b --branch -L --limit -w --workflow -s --status -c --commit ${JSON_OUT}`),
  'run view': command('--log --log-failed -v --verbose --exit-status', `-j --job ${JSON_OUT}`),
  'run watch': command('--exit-status', '-i --interval'),
  'run rerun': command('--failed', '-j --job'),
  'workflow list': command('-a --all', `-L --limit ${JSON_OUT}`),
  'release list': command('', `-L --limit ${JSON_OUT}`),
  'release view': command('', JSON_OUT),
  'label list': command('', `-L --limit -S --search ${JSON_OUT}`),
  'repo view': command('', JSON_OUT, { repository: 'argument' }),
  'api graphql': command('', '-f --raw-field --field', { repository: 'host' }),
}

const commandOf = (name: string): GhCommand | undefined =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined

/** Whether the broker understands a gh command, as far as its words are known before it runs. */
export function takesGh([group = '', verb = '', ...rest]: readonly (string | undefined)[]): boolean {
  const known = commandOf(`${group} ${verb}`)
  if (!known) return false
  return !('unknown' in readOptions(rest, withRepository(known)))
}

const withRepository = ({ flags, valued, repository }: GhCommand): KnownOptions => ({
  flags,
  valued: repository ? valued : [...valued, '-R', '--repo'],
})

/** What becomes of a gh command. It runs in an empty folder, so the repository and the branch are named. */
export function planGh(
  argv: readonly string[],
  head: string | undefined,
  { remotes }: Pick<RecordedRepository, 'remotes'>,
): GhPlan {
  const [group = '', verb = '', ...rest] = argv
  const name = `${group} ${verb}`.trim()
  const known = commandOf(name)
  if (!known) return refused(`gh ${name} does not run from inside the sandbox. Ask the user to run it.`)
  const read = readOptions(rest, withRepository(known))
  if ('unknown' in read)
    return refused(
      `gh ${name} ${read.unknown} does not run from inside the sandbox.${read.unknown.startsWith('--fill') || read.unknown === '-f' ? ' Give --title and --body.' : ' Leave it out.'}`,
    )
  const { options, others } = read
  if (known.repository === 'host') return planApi(name, options, others, remotes)
  const has = (...names: string[]) => options.some(option => names.includes(option.name))
  const body = options.filter(option => /^(-F|--body-file)$/.test(option.name))
  if (body.length > 1) return refused(`gh ${name}: give --body-file once.`)
  const branch = head?.replace(/^refs\/heads\//, '')
  const added: string[] = []
  const typed = [...argv]
  if (known.branch === 'selector' && others.length === 0) {
    if (!branch) return refused(`gh ${name}: HEAD is not on a branch. Name the pull request.`)
    others.push(branch)
    typed.push(branch)
  }
  if (known.branch === 'head' && !has('-H', '--head')) {
    if (!branch) return refused(`gh ${name}: HEAD is not on a branch. Name it with --head.`)
    added.push('--head', branch)
  }
  const named = options.find(option => /^(-R|--repo)$/.test(option.name))?.value
  if (named !== undefined && !/^[\w.-]+(\/[\w.-]+){1,2}$/.test(named))
    return refused(`gh ${name}: ${named} is not a repository (OWNER/NAME).`)
  if (named === undefined && !(known.repository && others.length > 0)) {
    const repository = ghRepositoryOf(remotes)
    if (!repository) return refused(`gh ${name}: name the repository with --repo OWNER/NAME.`)
    if (known.repository) {
      others.push(repository)
      typed.push(repository)
    } else added.push('--repo', repository)
  }
  return {
    kind: 'gh',
    shown: ['gh', ...typed, ...added],
    args: [
      ...[group, verb],
      ...options.flatMap(({ name: option, value }) => {
        if (value === undefined) return [option]
        const given = /^(-F|--body-file)$/.test(option) ? '-' : value
        // Joined, so that no value can be taken for an option.
        return option.startsWith('--') ? [`${option}=${given}`] : [option, given]
      }),
      ...added,
      ...(others.length > 0 ? ['--', ...others] : []),
    ],
    input: body[0]?.value,
  }
}

/** gh would read the file that `--field NAME=@FILE` names, outside. */
function planApi(
  name: string,
  options: readonly { name: string; value?: string | undefined }[],
  others: readonly string[],
  remotes: RecordedRepository['remotes'],
): GhPlan {
  if (others.length > 0) return refused(`gh ${name} takes only --raw-field and --field inside the sandbox.`)
  if (options.some(option => option.name === '--field' && /^[^=]*=@|^[^=]*$/.test(option.value ?? '')))
    return refused(`gh ${name} --field reads no file from inside the sandbox. Give the value itself.`)
  const repository = ghRepositoryOf(remotes)
  if (!repository) return refused(`gh ${name}: the repository of this project is not known.`)
  const parts = repository.split('/')
  const host = parts.length === 3 ? (parts[0] ?? '') : 'github.com'
  const args = [
    ...options.flatMap(({ name: option, value = '' }) =>
      option.startsWith('--') ? [`${option}=${value}`] : [option, value],
    ),
    `--hostname=${host}`,
  ]
  return {
    kind: 'gh',
    shown: ['gh', ...name.split(' '), ...args],
    args: [...name.split(' '), ...args],
    input: undefined,
  }
}

const refused = (reason: string): GhPlan => ({ kind: 'refused', reason })

/** `OWNER/NAME`, with the host in front if it is not github.com, of origin or of the only remote. */
export function ghRepositoryOf(remotes: RecordedRepository['remotes']): string | undefined {
  const remote =
    remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined)
  const found = remote && repositoryOf(remote.url)
  if (!found || found.owner.includes('/')) return undefined
  const full = `${found.owner}/${found.name}`
  return found.host === 'github.com' ? full : `${found.host}/${full}`
}
