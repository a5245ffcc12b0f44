import { BatonError } from '@batonpass/contract/errors'
import type { HandoffDocument } from '@batonpass/contract/handoff'
import type { Redactor } from '../journal/redact.ts'
import { FileError } from '../ports/files.ts'
import type { Git } from '../ports/git.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { MAX_HANDOFF_LENGTH, parseHandoff, type ReadHandoff } from './document/parse.ts'
import { renderHandoff } from './document/render.ts'
import { compareByAge, HANDOFFS_FOLDER, handoffName, isHandoffName } from './document-name.ts'

/** The handoff documents of a project: files that people may read, edit and delete. */
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
    const files = await this.#files.list(root, HANDOFFS_FOLDER)
    return files
      .map(({ name }) => name)
      .filter(isHandoffName)
      .sort(compareByAge)
  }

  async text(root: string, name: string): Promise<string> {
    const found = await this.#files.read(root, `${HANDOFFS_FOLDER}/${name}`, MAX_HANDOFF_LENGTH * 8)
    if (found.kind === 'text') return found.text
    const why = found.kind === 'refused' ? `: ${found.why}` : ''
    throw new BatonError('not_found', `Cannot read ${HANDOFFS_FOLDER}/${name}${why}`, {
      remedy: 'Run `baton handoff list` to list the documents.',
    })
  }

  async read(root: string, name: string): Promise<ReadHandoff> {
    return parseHandoff(await this.text(root, name))
  }

  /** Adds the documents' folder to git's exclude file; does nothing in a folder without git. */
  async hide(root: string): Promise<void> {
    await this.#git.exclude(root, `/${HANDOFFS_FOLDER}/`).catch(() => {})
  }

  /** The document with its secrets removed. */
  clean(document: HandoffDocument): HandoffDocument {
    return this.#redactor.redact(document)
  }

  /** Overwrites the document that the agent wrote and returns its name. */
  async rewrite(root: string, name: string, document: HandoffDocument): Promise<string> {
    const text = renderHandoff(this.clean(document), 'file')
    await this.hide(root)
    try {
      await this.#files.write(root, `${HANDOFFS_FOLDER}/${name}`, text, { shared: true })
      return name
    } catch (cause) {
      throw storeError(cause)
    }
  }

  /** Stores a document, with secrets removed, under the next free name and returns that name. */
  async store(root: string, document: HandoffDocument, now: number): Promise<string> {
    const text = renderHandoff(this.clean(document), 'file')
    await this.hide(root)
    for (let nth = 1; nth < MAX_IN_A_MINUTE; nth++) {
      const name = handoffName(now, nth)
      try {
        await this.#files.write(root, `${HANDOFFS_FOLDER}/${name}`, text, { shared: true, fresh: true })
        return name
      } catch (cause) {
        if (!(cause instanceof FileError) || cause.trouble !== 'busy') throw storeError(cause)
      }
    }
    throw new BatonError('internal', 'Too many handoffs in one minute. Wait a minute and try again.')
  }
}

const MAX_IN_A_MINUTE = 1000

function storeError(cause: unknown): BatonError {
  const inner = cause instanceof FileError ? cause.cause : cause
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BatonError('disk_full', 'Cannot store the handoff document: the disk is full', {
      remedy: 'Free some disk space and run the command again. The session itself is unchanged.',
      cause,
    })
  return new BatonError('not_allowed', `Cannot store the handoff document in ${HANDOFFS_FOLDER}`, {
    remedy:
      inner instanceof Error ? inner.message : 'Check that the folder is writable and not a symbolic link.',
    cause,
  })
}
