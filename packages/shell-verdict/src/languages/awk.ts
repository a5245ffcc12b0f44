import { flagTable, parseOptions } from '../shell/options.ts'
import type { Word } from '../shell/word.ts'
import { AwkReader } from './awk-grammar.ts'
import { findHazard } from './not-understood.ts'

const FLAGS = flagTable(
  '-F|--field-separator= -v|--assign= -f|--file= -i|--include= -l|--load= -E|--exec= -e|--source= -W= -b -c -C -h -V -n -N -r -s -S -t -P -O',
)

/** What an awk program does besides reading and printing, or undefined when all of it was understood. */
export function findAwkHazard(args: readonly Word[]): string | undefined {
  const parsed = parseOptions(args, FLAGS, { dash: 'gnu', permute: false })
  if (parsed.flags.some(used => /^(-f|--file|-E|--exec|-i|--include|-l|--load)$/.test(used.name)))
    return 'awk runs a program kept in a file'
  if (parsed.flags.some(used => used.name === '-W' && !/^(version|v)$/.test(used.value?.value ?? '')))
    return 'awk is given an implementation option'
  const sources = parsed.flags
    .filter(used => used.name === '-e' || used.name === '--source')
    .map(used => used.value)
  const programs = sources.length > 0 ? sources : parsed.positionals.slice(0, 1)
  const files = sources.length > 0 ? parsed.positionals : parsed.positionals.slice(1)
  if (files.some(word => word.value?.startsWith('/inet'))) return 'gawk opens a network connection'
  const texts = programs.map(program => program?.value)
  if (texts.some(text => text === undefined)) return 'the awk program is only known when it runs'
  return findProgramHazard(texts.join('\n'))
}

/** Why this program is not harmless, or undefined. */
export function findProgramHazard(program: string): string | undefined {
  const hazard = findHazard(() => new AwkReader(program).read())
  return hazard && `the awk program ${hazard}`
}
