import { isInside, pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import type { Assessment } from '@batonpass/shell-verdict/programs/assessment'
import { programName } from '@batonpass/shell-verdict/shell/program'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import { brokerTakes } from '../sandbox/broker/broker-takes.ts'

interface Place {
  home: string
  isInWorktree(folder: string): boolean
}

/**
 * What a part of a command needs from outside the sandbox; undefined if nothing. `brokered`: it runs inside, and the broker
 * does what it needs. This is about working, not about safety: what wrongly runs inside fails there, and what wrongly
 * stays outside is decided by its text.
 */
export function needsOutside(
  command: SimpleCommand,
  assessment: Assessment,
  place: Place,
):
  | { why: string }
  | { brokered: true }
  | { installs: string }
  | { contacts: readonly string[] }
  | { folder: string }
  | undefined {
  const elsewhere = [...command.folders, ...namedFolders(command, assessment.program, place.home)].find(
    folder => !place.isInWorktree(folder) && !PRIVATE.some(own => isInside(folder, own)),
  )
  const words = command.words.map(
    ({ value, prefix }) => value ?? (prefix.startsWith('-') ? prefix : undefined),
  )
  if (elsewhere === undefined && brokerTakes(words)) return { brokered: true }
  const installs = installOf(command, assessment)
  if (elsewhere === undefined && installs !== undefined) return { installs }
  const contacts = elsewhere === undefined ? contactsOf(assessment) : undefined
  if (contacts !== undefined) return { contacts }
  const why = whyOutside(command, assessment)
  if (why !== undefined) return { why }
  return elsewhere === undefined ? undefined : { folder: elsewhere }
}

function whyOutside(command: SimpleCommand, assessment: Assessment): string | undefined {
  const { program, kind } = assessment
  const [sub = '', next = ''] = subcommandOf(command, assessment)
  if (program === '') return undefined
  if (OWN.test(program) || AGENTS.test(program)) return `${program} talks to programs outside the sandbox`
  if (SIGNALS.test(program)) return undefined
  if (kind === 'system') return `${program} changes this machine`
  const isLocal =
    LOCAL.test(`${program} ${sub} ${next}`) ||
    (RENDERERS.test(`${program} ${sub}`) && !namesRemote(command, assessment))
  if (isLocal || (kind === 'project' && program.startsWith('ansible'))) return undefined
  if (OUTSIDE.test(program)) return `${program} works outside the sandbox`
  if (program === 'git' && (GIT_OUTSIDE.test(sub) || GIT_OUTSIDE.test(`${sub} ${next}`)))
    return `git ${sub} needs another repository, the network or the git configuration`
  if (DOWNLOADERS.test(program) && (DOWNLOADS.test(sub) || (program === 'yarn' && sub === '')))
    return `${program} ${sub} needs the network`.replace('  ', ' ')
  if (/^(npx|bunx|pnpx)$/.test(program) && command.words.some(({ value }) => FETCHED.test(value ?? '')))
    return `${program} downloads a package`
  return needsNetwork(command, assessment) ? `${program} needs the network` : undefined
}

/** Whether files of the project decide what a program runs, or which server gets a login: eslint.config.js, cdk.json, .npmrc. */
export const followsProject = ({ program, kind, plainKind, path: [sub = ''] }: Assessment): boolean =>
  // A flag such as `--fix` makes it worse, but what is found to only read runs nothing of the project.
  (kind !== 'read' && [kind, plainKind].some(each => each === 'project' || each === 'build')) ||
  program === 'terragrunt' ||
  (DOWNLOADERS.test(program) && DOWNLOADS.test(sub))

/** The servers that a download by curl or wget names in full; undefined if it does something else as well. */
function contactsOf({ program, hosts }: Assessment): readonly string[] | undefined {
  if (!FETCHERS.test(program) || hosts.length === 0) return undefined
  const named = hosts.flatMap(({ value }) => (value === undefined || LOOPBACK.test(value) ? [] : [value]))
  return named.length === hosts.length ? named : undefined
}

/** Folders that exist inside, but are the session's own. */
export const PRIVATE = ['/tmp', '/var/tmp'] as const

const words = (text: string) => new RegExp(`^(?:${text.trim().split(/\s+/).join('|')})$`)

/** Programs that use the sandbox's proxy. */
const FETCHERS = words('curl wget')
const OWN = words('baton batonpass')
const AGENTS = words('claude codex gemini copilot opencode pi omp cursor-agent aider')
/** They reach the session's own processes; the others are not there. */
const SIGNALS = words('kill pkill killall skill fuser')

/** Programs whose work is elsewhere: other machines, containers, services, accounts, the desktop. */
const OUTSIDE = words(`
  docker docker-compose podman podman-compose nerdctl buildah ctr crictl skopeo lima limactl colima minikube kind k3d k3s k9s
  kubectl oc helm helmfile kubectx kubens stern istioctl argocd flux kustomize
  aws gcloud gsutil bq az doctl flyctl fly heroku vercel netlify wrangler firebase supabase railway eb sam cdk
  serverless sls pulumi terraform tofu terragrunt ansible ansible-playbook vault consul nomad packer vagrant
  gh glab hub tea ssh scp sftp ssh-add ssh-agent ssh-copy-id mosh ftp
  tmux screen zellij systemctl service journalctl loginctl launchctl crontab at atq
  apt apt-get aptitude dnf yum pacman zypper apk brew port snap flatpak nix-env
  psql mysql mariadb mongosh mongo redis-cli sqlcmd pg_dump pg_restore pg_isready createdb dropdb mysqldump
  mysqladmin clickhouse-client
  xdg-open open code cursor subl zed idea xclip xsel pbcopy pbpaste wl-copy wl-paste notify-send osascript
  dig nslookup host whois traceroute mtr gpg gpg2 pass op secret-tool pipx`)

/** Uses of such programs that need the project alone. */
const LOCAL =
  /^((terraform|tofu|terragrunt) (fmt|validate|version|graph)|packer (validate|inspect)|rustup (show|toolchain list)|conda info|dotnet publish)\b/
/** The same unless their arguments name something elsewhere. */
const RENDERERS = /^(helm (template|lint)|kustomize build|kubectl kustomize)$/
const REMOTE = /^[\w+.-]+:\/\/|^\w+::|^[\w.-]+@[\w.-]+:|^--repo(=|$)/
/** `host.example/…`, `…?ref=v1` */
const REMOTE_KUSTOMIZATION = /^[\w-]+(\.[\w-]+)+\/|\?ref=/
/** In a repository that Helm knows, such as `bitnami/nginx`. Below a folder with a usual name, it is the project's. */
const REMOTE_CHART =
  /^(?!(?:charts?|helm|deploy|deployments?|k8s|kubernetes|infra|ops|manifests)\/)[\w-][\w.-]*\/[\w.-]+$/

function namesRemote({ words: all }: SimpleCommand, { program, path, parsed }: Assessment): boolean {
  const texts = all.map(({ value, prefix }) => value ?? prefix)
  if (texts.some(text => REMOTE.test(text.replace(/^-[\w-]+=(?=.*:)/, '')))) return true
  const target = parsed?.positionals.at(-1)?.value ?? ''
  if (program !== 'helm') return REMOTE_KUSTOMIZATION.test(target)
  return path[0] === 'template' && REMOTE_CHART.test(target)
}

const GIT_OUTSIDE =
  /^(push|fetch|pull|clone|ls-remote|lfs|send-email|svn|p4|config|credential.*|worktree (add|move|remove|repair)|submodule (add|update|sync|init|deinit)|remote (add|remove|rm|rename|set-url|set-head|set-branches|update|show|prune))$/

const DOWNLOADERS = words(`
  npm yarn pnpm bun pip pip3 poetry pipenv pdm uv conda mamba cargo go bundle gem composer mix dotnet mvn swift flutter
  dart deno playwright rustup nvm fnm volta asdf mise sdk pyenv rbenv`)
const DOWNLOADS = words(`
  install i ci add update up upgrade fetch get download dlx audit outdated view info show search publish
  unpublish login logout whoami adduser token owner dist-tag deprecate sync lock require push deps.get restore deploy
  toolchain index wheel`)
/** Package managers whose registries the sandbox's proxy lets through, and what they do with reads alone. */
const INSTALLERS = words('npm yarn pnpm bun pip pip3 poetry pipenv pdm uv cargo go bundle')
const INSTALLS = words(`
  install i ci add update up upgrade fetch get download dlx outdated view info show search sync lock index wheel`)
/** They fetch a package to make a project, and their registries say which versions are unsafe. Others do neither. */
const FROM_NPM = words('npm yarn pnpm bun')
/** Their target is a folder outside the project that is read-only inside. */
const INSTALLS_ELSEWHERE =
  /^((cargo|go|uv) (install|upgrade)|bun upgrade|(uv|poetry|pipenv|pdm) (python|self|tool))\b/
const GLOBAL =
  /^(-\w*g\w*|--global|--location=global|--user|--prefix.*|--target.*|--root.*|--system|--break-system-packages)$/

/** Why a command needs registries, if it downloads packages and needs nothing else from outside. */
function installOf(command: SimpleCommand, assessment: Assessment): string | undefined {
  const { program } = assessment
  const [sub = ''] = subcommandOf(command, assessment)
  const own = command.words.map(({ value }) => value ?? '')
  if (/^(npx|bunx|pnpx)$/.test(program))
    return own.some(word => FETCHED.test(word)) ? `${program} downloads a package` : undefined
  if (program === 'uvx' || (program === 'pipx' && sub === 'run')) return `${program} downloads a package`
  const isInstall =
    INSTALLERS.test(program) &&
    (INSTALLS.test(sub) ||
      (program === 'yarn' && sub === '') ||
      (/^(audit|create|init)$/.test(sub) && FROM_NPM.test(program)))
  if (!isInstall || own.some(word => GLOBAL.test(word))) return undefined
  const text = `${program} ${sub}`.trim()
  return INSTALLS_ELSEWHERE.test(text) ? undefined : `${text} needs the network`
}

/** Arguments with which a package runner asks the registry even if the package is installed. */
const FETCHED = /^(-y|--yes|create-[\w-]+|.+@(latest|next|\^?~?\d[\w.-]*))$/

/** The first words that are not flags, where the program's table names no sub-command. */
function subcommandOf({ words: all }: SimpleCommand, { path }: Assessment): readonly string[] {
  if (path.length > 0) return path
  return all.slice(1).flatMap(({ value }) => (value !== undefined && !value.startsWith('-') ? [value] : []))
}

/** Databases that are files. */
const EMBEDDED = words('sqlite3 duckdb')
const VARIABLES = words('env genv printenv echo printf export readonly declare typeset local set ps')

/** Whether a command shows secrets only if variables or other processes have them: in the sandbox those are hidden. */
export const printsVariables = ({ kind, program }: Pick<Assessment, 'kind' | 'program'>): boolean =>
  kind === 'credential' && VARIABLES.test(program)

const LOOPBACK = /^(?:[a-z][\w+.-]*:\/\/)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?)(?:[:/?#]|$)/i

/** Servers of the session itself answer inside. */
function needsNetwork(command: SimpleCommand, { kind, hosts, program: shown }: Assessment): boolean {
  if (printsVariables({ kind, program: shown }) || EMBEDDED.test(shown)) return false
  if (hosts.length > 0) return !hosts.every(({ value, prefix }) => LOOPBACK.test(value ?? prefix))
  const program = programName(command.words[0]?.value ?? '')
  if (!/^(fetch|remote|demolish|credential)$/.test(kind) && program !== 'ping') return false
  const named = command.words
    .slice(1)
    .flatMap(({ value }) => (value !== undefined && !/^(-|\d+$)/.test(value) ? [value] : []))
  return named.length === 0 || !named.every(word => LOOPBACK.test(word))
}

/** Where `git -C` works and where `cd` leads. */
function namedFolders(command: SimpleCommand, program: string, home: string): readonly string[] {
  const at = program === 'git' ? command.words.findIndex(word => word.value === '-C') : -1
  const target = /^(cd|pushd)$/.test(program)
    ? command.words.slice(1).find(word => word.value !== '--' && word.value !== '-')
    : at === -1
      ? undefined
      : command.words[at + 1]
  return target ? (pathsOf(target, command.folders, home) ?? []) : []
}
