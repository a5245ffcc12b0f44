import { findAwkHazard } from '../languages/awk.ts'
import { findSedHazard } from '../languages/sed.ts'
import type { Word } from '../shell/word.ts'
import type { NestedSink } from './nested-sink.ts'

/** Programs that run code given as an argument, with the flags that hold it. */
const CODE_FLAGS: Readonly<Record<string, RegExp>> = {
  python: /^-[bBdEiIOqsSuvx]*c/,
  node: /^(-e|-p|-pe|--eval|--print)(=|$)/,
  deno: /^eval$/,
  bun: /^(-e|--eval|-p|--print)(=|$)/,
  perl: /^-\w*[eEdMm]/,
  ruby: /^-\w*e/,
  php: /^-[rBREF]/,
  lua: /^-e/,
  tclsh: /^-c/,
  osascript: /^-e/,
  vim: /^(-c|--cmd|-S|-s|-u|\+.+)/,
  emacs: /^(--eval|--batch|-f|-l|--load|--script)/,
  R: /^-e/,
  Rscript: /^-e/,
  julia: /^-[eE]/,
  ghc: /^-e/,
  gdb: /^(-ex|-x|--eval-command|--command|-iex)/,
  lldb: /^(-o|-O|-s|-S|--one-line|--source)/,
  expect: /^-c/,
  groovy: /^-e/,
  scala: /^-e/,
  elixir: /^(-e|--eval)/,
  psql: /^never$/,
}

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(python|pypy|ipython)[\d.]*$/, 'python'],
  [/^(node|nodejs|tsx|ts-node)$/, 'node'],
  [/^perl[\d.]*$/, 'perl'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^php[\d.]*$/, 'php'],
  [/^lua(jit)?[\d.]*$/, 'lua'],
  [/^(vi|vim|nvim|view|ex|gvim|vimdiff|rvim)$/, 'vim'],
]

/** Notes code in other languages: it is not read as shell, so what it starts cannot be known. */
export function inlineCode(program: string, args: readonly Word[], sink: NestedSink): void {
  if (/^(awk|gawk|mawk|nawk|original-awk|busybox-awk)$/.test(program)) {
    const hazard = findAwkHazard(args)
    if (hazard) sink.unknown('inline-code', hazard)
    return
  }
  if (program === 'sed' || program === 'gsed') {
    const hazard = findSedHazard(args)
    if (hazard) sink.unknown('inline-code', hazard)
    return
  }
  const family = FAMILIES.find(([pattern]) => pattern.test(program))?.[1] ?? program
  const pattern = Object.hasOwn(CODE_FLAGS, family) ? CODE_FLAGS[family] : undefined
  if (!pattern) return
  if (args.some(word => pattern.test(word.value ?? word.prefix))) {
    sink.unknown('inline-code', `${program} runs code given as an argument`)
  }
}
