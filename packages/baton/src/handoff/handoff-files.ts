import { BatonError } from '@batonpass/contract/errors'
import type { HandoffDocument } from '@batonpass/contract/handoff'
import type { Redactor } from '../journal/redact.ts'
import { FileError } from '../ports/files.ts'
import type { Git } from '../ports/git.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { MAX_HANDOFF_LENGTH, parseHandoff, type ReadHandoff } from './document/parse.ts'
import { renderHandoff } from './document/render.ts'
import { byAge, HANDOFFS, handoffName, isHandoffName } from './document-name.ts'

/** The documents of a project: files that a person may read, edit and delete. */
export class HandoffFiles {
  readonly #files: SmallFiles
  readonly #git: Pick<Git, 'exclude'>
  readonly #redactor: Pick<Redactor, 'redact'>

  constructor(files: SmallFiles, git: Pick<Git, 'exclude'>, redactor: Pick<Redactor, 'redact'>) {
    this.#files = files
    this.#git = git
    this.#redactor = redactor
  }

  /** Oldest first. */
  async list(root: string): Promise<string[]> {
    const files = await this.#files.list(root, HANDOFFS)
    return files
      .map(({ name }) => name)
      .filter(isHandoffName)
      .sort(byAge)
  }

  async text(root: string, name: string): Promise<string> {
    const found = await this.#files.read(root, `${HANDOFFS}/${name}`, MAX_HANDOFF_LENGTH * 8)
    if (found.kind === 'text') return found.text
    const why = found.kind === 'refused' ? `: ${found.why}` : ''
    throw new BatonError('not_found', `${HANDOFFS}/${name} cannot be read${why}`, {
      remedy: 'See `baton handoffs`.',
    })
  }

  async read(root: string, name: string): Promise<ReadHandoff> {
    return parseHandoff(await this.text(root, name))
  }

  /** Keeps the documents out of git's sight; a folder without git needs nothing. */
  async hide(root: string): Promise<void> {
    await this.#git.exclude(root, `/${HANDOFFS}/`).catch(() => {})
  }

  /** The document without its secrets. */
  clean(document: HandoffDocument): HandoffDocument {
    return this.#redactor.redact(document)
  }

  /** Puts a document in the place of one the agent wrote, and gives its name. */
  async rewrite(root: string, name: string, document: HandoffDocument): Promise<string> {
    const text = renderHandoff(this.clean(document), 'file')
    await this.hide(root)
    try {
      await this.#files.write(root, `${HANDOFFS}/${name}`, text, { shared: true })
      return name
    } catch (cause) {
      throw notStored(cause)
    }
  }

  /** Stores a document without its secrets under the next free name, and gives that name. */
  async store(root: string, document: HandoffDocument, now: number): Promise<string> {
    const text = renderHandoff(this.clean(document), 'file')
    await this.hide(root)
    for (let nth = 1; nth < MAX_IN_A_MINUTE; nth++) {
      const name = handoffName(now, nth)
      try {
        await this.#files.write(root, `${HANDOFFS}/${name}`, text, { shared: true, fresh: true })
        return name
      } catch (cause) {
        if (!(cause instanceof FileError) || cause.trouble !== 'busy') throw notStored(cause)
      }
    }
    throw new BatonError('internal', 'Too many handoffs in one minute')
  }
}

const MAX_IN_A_MINUTE = 1000

function notStored(cause: unknown): BatonError {
  const inner = cause instanceof FileError ? cause.cause : cause
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BatonError('disk_full', 'The handoff document cannot be stored: the disk is full', {
      remedy: 'Free some space and run it again; the session itself is untouched.',
      cause,
    })
  return new BatonError('not_allowed', `The handoff document cannot be stored in ${HANDOFFS}`, {
    remedy: inner instanceof Error ? inner.message : 'Is the folder writable, and no link?',
    cause,
  })
}
