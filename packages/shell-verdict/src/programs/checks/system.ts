import { findTmuxHazard } from '../../languages/tmux.ts'
import { literalWord } from '../../shell/word.ts'
import { becomes, flagValue, harmless, has } from './outcome.ts'
import type { Check } from './use.ts'

const kubeGet: Check = use => {
  const template = /-file=(.*)$/s.exec(flagValue(use, '-o', '--output') ?? '')?.[1]
  if (template !== undefined) use.result.reads.push(literalWord(template))
  const first = use.parsed.positionals[0]
  const kinds = first?.value?.split(',').map(part => part.split(/[/.]/)[0]?.toLowerCase() ?? '')
  const secret = kinds === undefined ? first !== undefined : kinds.some(kind => /^secrets?$/.test(kind))
  const named = use.parsed.positionals.slice(1).some(word => /^secrets?\//i.test(word.value ?? ''))
  if (!secret && !named) return
  const format = flagValue(use, '-o', '--output')
  const plain =
    !has(use, '-o', '--output', '--template') || (format !== undefined && /^(wide|name)$/.test(format))
  if (!plain || use.parsed.uncertain.length > 0 || kinds === undefined)
    becomes(use, 'credential', 'may show secrets')
}

/** Deleting one of these takes everything in it along. */
const SHARED_KINDS =
  /^(ns|namespaces?|pv|persistentvolumes?|pvc|persistentvolumeclaims?|crds?|customresourcedefinitions?|nodes?|no|clusters?|sc|storageclass(es)?)$/i

const helmDryRun: Check = use => {
  if (use.result.kind !== 'remote' || !has(use, '--dry-run')) return
  const value = flagValue(use, '--dry-run')
  if (value !== undefined && /^(|client|server|true)$/.test(value)) harmless(use, 'only renders')
}

const brew: Check = use => {
  const first = use.args[0]?.value ?? ''
  if (/^--(cache|cellar|caskroom|prefix|repo|repository|env|version|taps|config)$|^-v$/.test(first))
    harmless(use, 'prints its settings')
}

const DSCL_READS = /^-?(read|readall|readpl|readpli|list|ls|search|cat|diff)$/

export const SYSTEM_CHECKS: Readonly<Record<string, Check>> = {
  tmux: use => {
    const hazard = findTmuxHazard(use.args)
    if (hazard) becomes(use, 'exec', hazard)
  },
  // Without -p they show something in the terminal or fill a buffer.
  'tmux-display': use => {
    if (has(use, '-p') && findTmuxHazard(use.args) === undefined) harmless(use, 'prints what tmux shows')
  },
  getent: use => {
    if (/^g?shadow$/.test(use.parsed.positionals[0]?.value ?? 'shadow'))
      becomes(use, 'credential', 'prints password hashes')
  },
  // `concat:/x` and `subfile,,:/x` lead to files as well.
  media: use => {
    if (use.result.reads.some(word => /^(?!https?:|file:)\w[\w+,.]*:/i.test(word.value ?? '')))
      becomes(use, 'unlisted', 'opens a file through a protocol')
  },
  'kube-get': kubeGet,
  'kube-delete': use => {
    if (has(use, '--dry-run')) return
    const kinds = (use.parsed.positionals[0]?.value ?? '').split(',').map(kind => kind.split(/[/.]/)[0] ?? '')
    if (kinds.some(kind => SHARED_KINDS.test(kind)))
      becomes(use, 'demolish', 'deletes what a whole cluster shares')
  },
  'terraform-apply': use => {
    if (has(use, '-destroy') && has(use, '-auto-approve'))
      becomes(use, 'demolish', 'destroys all resources without a question')
  },
  'helm-dry-run': helmDryRun,
  brew,
  // A formula given as a file is Ruby code.
  'brew-read': use => {
    if (use.args.some(word => /\.rb$|^\.{1,2}\/|^https?:/.test(word.value ?? './')))
      becomes(use, 'exec', 'loads a formula from a file')
  },
  sysctl: use => {
    if (use.args.some(word => (word.value ?? '=').includes('=')))
      becomes(use, 'system', 'sets a kernel value')
  },
  rpm: use => {
    if (has(use, '-q', '-V') && !has(use, '--pipe')) harmless(use, 'only asks')
  },
  lipo: use => {
    const asks = has(use, '-info', '-archs', '-detailed_info', '-verify_arch')
    if (
      asks &&
      !has(use, '-create', '-thin', '-extract', '-remove', '-replace', '-extract_family', '-output')
    )
      harmless(use, 'only shows')
  },
  codesign: use => {
    const asks = has(use, '-v', '--verify', '-d', '--display', '--validate-constraint', '-h')
    if (asks && !has(use, '-s', '--sign', '-f', '--force', '--remove-signature'))
      harmless(use, 'only verifies')
  },
  mdimport: use => {
    if (
      has(use, '-t', '-X', '-L', '-A') &&
      use.result.writes.length === 0 &&
      !has(use, '-r', '-i') &&
      use.parsed.strange.length === 0
    )
      harmless(use, 'only tests')
  },
  plutil: use => {
    if (
      has(use, '-p', '-lint', '-help') &&
      !has(use, '-convert', '-insert', '-replace', '-remove', '-create', '-extract')
    )
      harmless(use, 'only shows')
    else if (flagValue(use, '-o') === '-') harmless(use, 'prints the result')
  },
  dscl: use => {
    if (
      DSCL_READS.test(
        use.args.map(word => word.value ?? '').find((word, index) => index > 0 && word.startsWith('-')) ?? '',
      )
    )
      harmless(use, 'only reads')
  },
  pmset: use => {
    if (use.args[0]?.value === '-g') harmless(use, 'only shows')
  },
}
