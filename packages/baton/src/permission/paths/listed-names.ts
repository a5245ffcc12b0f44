import { reachOf } from '@batonpass/shell-verdict/paths/reach'
import { pathsOf } from '@batonpass/shell-verdict/paths/resolve'
import { secretBelow, secretPath } from '@batonpass/shell-verdict/paths/secrets'
import { assess } from '@batonpass/shell-verdict/programs/assess'
import type { Analysis } from '@batonpass/shell-verdict/shell/analysis'
import { programName } from '@batonpass/shell-verdict/shell/program'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { Word } from '@batonpass/shell-verdict/shell/word'
import type { JudgeContext } from '../judge-context.ts'
import type { Guarded } from './protected.ts'

/** Paths that another command listed: they are names below folders that were judged themselves. */
export function foundByListing(
  word: Word,
  command: SimpleCommand,
  analysis: Analysis | undefined,
  context: JudgeContext,
): boolean {
  if (word.prefix === './' && (word.text.includes('{}') || word.text === '(found path)')) return true
  if (!analysis || !command.via.some(reach => reach === 'wrapper:xargs')) return false
  if (word.text !== '(standard input)' && word.prefix !== '') return false
  if (takesNamesFromFile(command, analysis)) return false
  return command.upstream.every(index => {
    const before = analysis.commands[index]
    return before !== undefined && (listsNames(before, context) || passesNamesOn(before, context))
  })
}

/** `xargs -a FILE` and `xargs < FILE`: the names come from the file, which anyone may have written. */
function takesNamesFromFile({ range }: SimpleCommand, { commands }: Analysis): boolean {
  return commands.some(
    ({ words: [first, ...rest], redirections, range: [start, end] }) =>
      /^g?xargs$/.test(programName(first?.value ?? '')) &&
      start <= range[0] &&
      range[1] <= end &&
      (redirections.some(({ operator }) => operator.startsWith('<')) ||
        rest.some(({ value, prefix }) => /^(?:-[a-zA-Z0-9]*a|--arg-file)/.test(value ?? prefix))),
  )
}

/** Prints names of files, and only of files below folders that hold nothing protected. */
function listsNames(command: SimpleCommand, { request, rules, guarded }: JudgeContext): boolean {
  const [first, ...rest] = command.words
  const name = programName(first?.value ?? '')
  const texts = rest.map(word => word.value ?? '')
  const lists =
    LISTERS.test(name) ||
    (SEARCHES.test(name) && texts.some(text => /^(?:-[a-zA-Z]*[lL]|--files(?:-with.*)?)$/.test(text))) ||
    (name === 'git' && GIT_LISTS.some(words => words.every(word => texts.includes(word))))
  if (!lists || texts.some(text => secretPath(`/${text}`, '/nobody') !== undefined)) return false
  return assess(command, rules.programs).reads.every(word =>
    (pathsOf(word, command.folders, request.home) ?? ['/']).every(
      path =>
        secretPath(path, request.home) === undefined &&
        holdsProtected(path, request.home, guarded) === undefined &&
        !/^\/(?:etc|proc|root|home|Users)?$/.test(path),
    ),
  )
}

/** Picks or orders lines of what it is given; with a file of its own it would bring other names. */
function passesNamesOn(command: SimpleCommand, { rules }: JudgeContext): boolean {
  return (
    FILTERS.test(programName(command.words[0]?.value ?? '')) &&
    command.redirections.every(({ operator }) => !operator.startsWith('<')) &&
    assess(command, rules.programs).reads.length === 0
  )
}

const LISTERS = /^(g?find|fd|fdfind|g?ls|locate|mlocate|plocate)$/
const SEARCHES = /^(grep|egrep|fgrep|ggrep|rg|ripgrep|ag|ack)$/
const FILTERS = /^g?(head|tail|sort|uniq|grep|egrep|fgrep|wc|xargs|tac|shuf)$/
const GIT_LISTS = [
  ['ls-files'],
  ['ls-tree', '--name-only'],
  ['diff', '--name-only'],
  ['show', '--name-only'],
  ['log', '--name-only', '--format='],
  ['log', '--name-only', '--pretty='],
  ['log', '--name-only', '--pretty=format:'],
  ['grep', '-l'],
  ['grep', '--files-with-matches'],
  ['grep', '--name-only'],
]

/** A folder that holds what is protected: what goes through it finds that too. */
export function holdsProtected(
  path: string,
  home: string,
  guarded: Guarded,
  dots = false,
): string | undefined {
  const held =
    guarded.folders.find(folder => reachOf(path, folder, dots) === 'above') ?? secretBelow(path, home, dots)
  return held && `a folder that holds ${held}`
}
