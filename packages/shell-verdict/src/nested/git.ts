import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'
import type { NestedSink } from './nested-sink.ts'

export const GIT_GLOBALS = `-C=:directory -c= --config-env= --exec-path? --git-dir= --work-tree= --namespace= --super-prefix= -p|--paginate
  -P|--no-pager --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs --html-path --man-path --info-path --list-cmds= -v|--version -h|--help --attr-source=`

const FLAGS = flagTable(GIT_GLOBALS)

/** Settings that only change what is printed. */
const HARMLESS =
  /^(color\.|core\.quotepath=|core\.pager=(cat)?$|pager\.\w+=(false|cat)?$|log\.|diff\.(algorithm|renames|renamelimit|context|noprefix|mnemonicprefix|colormoved)|advice\.|user\.(name|email)=|core\.(abbrev|autocrlf|safecrlf|ignorecase|precomposeunicode|fscache|preloadindex|longpaths|filemode)=|init\.defaultbranch=|commit\.gpgsign=|tag\.gpgsign=|status\.|column\.|grep\.|blame\.|branch\.sort=|tag\.sort=|versionsort\.|merge\.conflictstyle=|rerere\.enabled=|fetch\.prune=|gc\.auto=|protocol\.version=|safe\.directory=|http\.(postbuffer|lowspeed\w*)=|submodule\.recurse=)/i

/** Settings given on the command line can name programs: aliases, pagers, editors, helpers, hooks. */
export function gitHazards(args: readonly Word[], sink: NestedSink): boolean {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: false })
  for (const used of parsed.flags) {
    if (used.name === '-c') {
      const text = used.value?.value
      const alias = /^alias\.[^=]+=!(.*)$/is.exec(text ?? '')
      if (alias?.[1] !== undefined) sink.source(alias[1], false)
      if (text === undefined || !HARMLESS.test(text)) {
        sink.unknown(
          'git-config',
          `a setting on the command line may run a program: ${used.value?.text ?? ''}`,
        )
      }
    }
    if (
      ['--config-env', '--exec-path', '--git-dir', '--work-tree', '--namespace'].includes(used.name) &&
      !(used.name === '--exec-path' && !used.value)
    ) {
      sink.unknown('git-config', `${used.name} makes git use other settings or programs`)
    }
  }
  const sub = parsed.positionals[0]
  if (sub?.value === undefined) {
    if (sub) sink.unknown('dynamic-program', 'the git sub-command is only known when it runs')
    return false
  }
  const rest = parsed.positionals.slice(1)
  if (sub.value === 'bisect' && rest[0]?.value === 'run') sink.words(rest.slice(1), [], false)
  if (sub.value === 'submodule' && rest.some(word => word.value === 'foreach')) {
    const after = rest
      .slice(rest.findIndex(word => word.value === 'foreach') + 1)
      .filter(word => word.value !== '--recursive')
    const text = after.map(word => word.value)
    if (text.every(part => part !== undefined)) sink.source(text.join(' '), false)
    else sink.unknown('dynamic-source', 'the text git hands to a shell is only known when it runs')
  }
  if (sub.value === 'rebase' || sub.value === 'difftool' || sub.value === 'filter-branch') {
    rest.forEach((word, index) => {
      const text = word.value ?? ''
      const attached = /^(?:-x|--exec=|--extcmd=|--(?:tree|index|msg|commit|env|parent)-filter=)(.+)$/s.exec(
        text,
      )
      const separate = /^(?:-x|--exec|--extcmd|--(?:tree|index|msg|commit|env|parent)-filter)$/.test(text)
      const command = attached?.[1] ?? (separate ? rest[index + 1]?.value : undefined)
      if (command !== undefined) sink.source(command, false)
    })
  }
  return false
}
