import { BatonError } from '@batonpass/contract/errors'
import { type Check, CheckDeclaration, DoneWhen } from '@batonpass/contract/proof'
import { type Document, isMap, isSeq, parse, parseDocument, type YAMLSeq } from 'yaml'
import { z } from 'zod'

const KEY = ['proof', 'done_when'] as const
const HEADER = '# Settings of Baton for this project; every key: baton config\n'

/** The text of a settings file with these checks as `proof.done_when`. Comments and everything else stay as they are. */
export function withChecks(text: string | undefined, checks: readonly Check[]): string {
  const document = documentOf(text)
  if ((listIn(document)?.items.length ?? 0) > 0)
    throw new BatonError('usage', 'The checks are pinned already (proof.done_when)', {
      remedy: 'Change them: baton checks edit, add or remove',
    })
  const minutes = document.getIn(['proof', 'minutes'])
  const wanted = checks.flatMap(
    check => declarationOf(check, typeof minutes === 'number' ? minutes : 15) ?? [],
  )
  const list = document.createNode(wanted) as YAMLSeq
  list.commentBefore = ' What must pass before work counts as done; see: baton checks --help'
  list.flow = false
  document.setIn(KEY, list)
  return checked(document)
}

/** The text with one more check. `given`: a command, or a map such as `{files: {changed: [docs/**]}}`. */
export function withAddedCheck(text: string | undefined, given: CheckDeclaration): string {
  const document = documentOf(text)
  const list = listIn(document)
  if (list) list.add(document.createNode(given))
  else document.setIn(KEY, document.createNode([given]))
  return checked(document)
}

/** The text without the check of this name or command. */
export function withoutCheck(text: string | undefined, name: string): string {
  const document = documentOf(text)
  const list = listIn(document)
  const at = (list?.toJSON() as unknown[] | undefined)?.findIndex(each => namesOf(each).includes(name)) ?? -1
  if (!list || at < 0)
    throw new BatonError('not_found', `No check ${name} in proof.done_when of this project`, {
      remedy: 'See `baton checks`. Write derived checks down first: baton checks pin',
    })
  list.delete(at)
  if (list.items.length === 0) document.deleteIn(KEY)
  return checked(document)
}

/** Reads a check that a person typed. */
export function readDeclaration(
  given: string,
  options: { name?: string; minutes?: number },
): CheckDeclaration {
  let value: unknown = given
  if (/^\s*\{/.test(given))
    try {
      value = parse(given, { maxAliasCount: 0 })
    } catch {
      value = undefined
    }
  const more = Object.fromEntries(Object.entries(options).filter(([, each]) => each !== undefined))
  const whole =
    Object.keys(more).length === 0
      ? value
      : { ...(typeof value === 'string' ? { run: value } : (value ?? {})), ...more }
  const read = CheckDeclaration.safeParse(whole)
  // As written, without the defaults that the schema adds.
  if (read.success) return whole as CheckDeclaration
  throw new BatonError('usage', `${given.slice(0, 200)} is not a check`, {
    remedy: 'Give a command, or a map such as `{files: {changed: ["docs/**"]}}`. See docs/guides/proof.md.',
  })
}

/** A check as a person would declare it; undefined for those that Baton adds by itself. */
export function declarationOf(check: Check, minutes: number): CheckDeclaration | undefined {
  switch (check.kind) {
    case 'run': {
      const { command, name, exit, output, minutes: own } = check
      const more = {
        ...(name === command.slice(0, 80) ? {} : { name }),
        ...(exit === 0 ? {} : { exit }),
        ...(output === undefined ? {} : { output }),
        ...(own === minutes ? {} : { minutes: own }),
      }
      return Object.keys(more).length === 0 ? command : ({ run: command, ...more } as CheckDeclaration)
    }
    case 'diff':
      if (check.source === 'derived') return undefined
      return {
        diff: {
          ...(check.maxLines === undefined ? {} : { max_lines: check.maxLines }),
          ...(check.only.length > 0 ? { only: check.only } : {}),
          ...(check.keepsTests ? { tests: 'kept' as const } : {}),
        },
        name: check.name,
      }
    case 'files': {
      const { exist, changed, unchanged, name } = check
      const lists = Object.entries({ exist, changed, unchanged }).filter(([, each]) => each.length > 0)
      return { files: Object.fromEntries(lists), name }
    }
    case 'forge': {
      const { checks, review, name, minutes: limit } = check
      const wanted = {
        ...(checks ? { checks: 'green' as const } : {}),
        ...(review ? { review: 'approved' as const } : {}),
      }
      return { forge: wanted, name, minutes: limit }
    }
    case 'review': {
      const { rubric, agent, model, name, minutes: limit } = check
      return {
        review: rubric,
        ...(agent ? { agent } : {}),
        ...(model ? { model } : {}),
        name,
        minutes: limit,
      }
    }
    // It belongs to one issue.
    case 'task':
      return undefined
    case 'person':
      return { person: check.question, name: check.name, minutes: check.minutes }
  }
}

function documentOf(text: string | undefined): Document {
  const document = parseDocument(text ?? HEADER)
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents))) throw invalid()
  return document
}

const listIn = (document: Document): YAMLSeq | undefined => {
  const found = document.getIn(KEY)
  if (found === undefined || found === null) return undefined
  if (!isSeq(found)) throw invalid()
  return found
}

/** Nothing is written that Baton would not read. */
function checked(document: Document): string {
  const list = listIn(document)
  if (list && !z.union([z.array(z.never()).length(0), DoneWhen]).safeParse(list.toJSON()).success)
    throw invalid()
  return String(document)
}

const namesOf = (each: unknown): unknown[] =>
  typeof each === 'object' && each !== null ? [...Object.values(each)] : [each]

const invalid = () =>
  new BatonError(
    'config_invalid',
    'proof.done_when in the settings of this project is not a valid list of checks',
    {
      remedy: 'Run `baton config`, fix the file, and try again.',
    },
  )
