import { BoardView } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import { findWorktreeRoot } from '../../config/project.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { type Column, fitTable } from '../fit-table.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

const FORGE_MS = 60_000
/** The longest title. */
const WIDEST = 60
/** Room enough when the output is not a terminal. */
const WIDE = 1000

const Made = z.object({ board: BoardView.shape.board, made: z.array(z.string()) })

/** The project's board as a table, or its setup. */
export const board: Handler = async (given, io) => {
  const [what] = given.positionals
  const project = findWorktreeRoot(io.cwd)
  if (what === 'setup') return setup(given, io, project)
  const answer = await callStartedDaemon(
    io,
    'GET',
    `/api/board?project=${encodeURIComponent(project)}`,
    FORGE_MS,
  )
  const { board, items } = BoardView.parse(answer)
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(answer)}\n`)
    return EXIT.ok
  }
  if (!board) {
    io.stdout.write(
      'This repository has no board that Baton can see. Create one: baton claim board setup --title "NAME"\n',
    )
    return EXIT.ok
  }
  const colour = paint(io)
  fitted(io)(`${colour('bold', printable(board.title))}  ${colour('dim', printable(board.url))}\n`)
  const statuses = [...board.statuses, undefined]
  for (const status of statuses) {
    const here = items.filter(item => (item.status ?? undefined) === status && item.kind !== 'hidden')
    if (here.length === 0) continue
    io.stdout.write(`\n${colour('cyan', printable(status ?? 'No Status'))} (${here.length})\n`)
    const table = fitTable(here, itemColumns(io), { columns: (io.columns ?? WIDE) - 2, colour })
    for (const line of table.rows.flat()) io.stdout.write(`  ${line}\n`)
  }
  return EXIT.ok
}

const itemColumns = (io: Io): Column<BoardView['items'][number]>[] => [
  {
    dropped: 0,
    cell: ({ issue, kind }) => ({ text: (issue === undefined ? kind : `#${issue}`).padEnd(5) }),
  },
  {
    dropped: 0,
    least: 24,
    cell: ({ title }) => {
      const text = printable(title).slice(0, WIDEST)
      return { text: io.columns === undefined ? text.padEnd(WIDEST) : text }
    },
  },
  {
    dropped: 1,
    least: 8,
    cell: ({ agent, assignees }) => ({ text: printable(agent ?? assignees.join(', ')) }),
  },
]

async function setup(given: Given, io: Io, project: string): Promise<number> {
  const title = text(given, 'title')
  if (title !== undefined && title.trim() === '') throw new BatonError('usage', '--title must not be empty')
  if (flag(given, 'dry-run')) {
    io.stdout.write(
      'Would create missing Status options, the Agent field and the labels. Would remove nothing.\n',
    )
    return EXIT.ok
  }
  const body = { project, ...(title ? { title } : {}) }
  const answer = await callStartedDaemon(io, 'POST', '/api/board/setup', FORGE_MS, { body })
  const { board, made } = Made.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(answer)}\n`)
  else {
    for (const part of made) io.stdout.write(`created ${printable(part)}\n`)
    if (made.length === 0) io.stdout.write('Nothing is missing.\n')
    io.stdout.write(
      board
        ? `${printable(board.title)}  ${printable(board.url)}\n`
        : 'There is no board. Create one: --title "NAME"\n',
    )
  }
  return EXIT.ok
}
