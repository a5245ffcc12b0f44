import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EntryList } from '@batonpass/contract/api'
import type { DecisionEntry } from '@batonpass/contract/permission'
import { parseDocument } from 'yaml'
import { systemAncestry } from '../../adapters/system/ancestry.ts'
import { refuseAgents } from '../../ask/answerer.ts'
import { ownFolders } from '../../config/places.ts'
import { replaceFile } from '../../daemon/secret-file.ts'
import { type Lesson, learn as lessonsFrom } from '../../permission/learn.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { diffOf } from '../diff.ts'
import { type Io, printable } from '../io.ts'
import { since } from '../since.ts'

/** Proposes rules for what a person kept allowing, as a diff of their own configuration; `--accept` writes it. */
export const learn: Handler = async (given, io) => {
  const lessons = lessonsFrom(await decisions(io, text(given, 'since')), Number(text(given, 'times') ?? 2))
  const [folder = io.home] = ownFolders(io)
  const file = join(folder, '.baton.yaml')
  const before = textOf(file)
  const after = withRules(before, lessons)
  if (flag(given, 'json'))
    io.stdout.write(`${JSON.stringify({ file, lessons, accepted: flag(given, 'accept') })}\n`)
  else if (lessons.length === 0)
    io.stdout.write('Nothing to learn yet: no command was allowed by you more than once.\n')
  else {
    for (const { rule, allowed, examples } of lessons) {
      io.stdout.write(
        `${JSON.stringify(rule)}  allowed ${allowed} times, e.g. ${printable(examples.join(' | '))}\n`,
      )
    }
    io.stdout.write(`\n${printable(await diffOf(file, before, after))}`)
  }
  if (!flag(given, 'accept') || lessons.length === 0) return EXIT.ok
  // A rule is a yes to the future: the same people may give it who may answer an ask.
  refuseAgents(await systemAncestry.of(process.pid), 'needed')
  replaceFile(file, after, 0o600)
  io.stderr.write(`Wrote ${file}\n`)
  return EXIT.ok
}

function withRules(before: string, lessons: readonly Lesson[]): string {
  const document = parseDocument(before)
  for (const { rule } of lessons) {
    if (document.hasIn(['permissions', 'allow']))
      document.addIn(['permissions', 'allow'], document.createNode(rule))
    else document.setIn(['permissions', 'allow'], document.createNode([rule]))
  }
  return lessons.length === 0 ? before : document.toString()
}

async function decisions(io: Io, from: string | undefined): Promise<DecisionEntry[]> {
  const query = new URLSearchParams({
    kind: 'decision',
    order: 'desc',
    limit: '5000',
    ...(from ? { since: since(from) } : {}),
  })
  const { entries } = EntryList.parse(await callDaemon(folderOf(io), 'GET', `/api/journal?${query}`, 60_000))
  return entries.flatMap(({ body }) => (body.kind === 'decision' ? body : []))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
