import { BatonError } from '@batonpass/contract/errors'
import { type HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import { opaqueWordsIn } from '../journal/opaque-words.ts'
import type { Redactor } from '../journal/redact.ts'
import { contextSecretsIn } from '../journal/secrets-in-context.ts'
import { FileError } from '../ports/files.ts'
import type { Git, GitPosition } from '../ports/git.ts'
import { readJsonFile } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'
import { envSecrets } from '../session/transcript/env-file.ts'
import { MAX_HANDOFF_LENGTH, parseHandoff, type ReadHandoff } from './document/parse.ts'
import { renderHandoff } from './document/render.ts'
import { compareByAge, HANDOFFS_FOLDER, handoffName, isHandoffName, LEDGERS_FOLDER } from './document-name.ts'

/** Without `findWords`, no word counts as known to the project. */
type HandoffGit = Pick<Git, 'exclude'> & Partial<Pick<GitPosition, 'findWords'>>

/** The handoff documents of a project: files that people may read, edit and delete. */
export class HandoffFiles {
  readonly #files: SmallFiles
  readonly #git: HandoffGit
  readonly #redactor: Pick<Redactor, 'redact'>

  constructor(files: SmallFiles, git: HandoffGit, redactor: Pick<Redactor, 'redact'>) {
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

  /** Adds the folders of documents and ledgers to git's exclude file; does nothing in a folder without git. */
  async hide(root: string): Promise<void> {
    for (const folder of [HANDOFFS_FOLDER, LEDGERS_FOLDER])
      await this.#git.exclude(root, `/${folder}/`).catch(() => {})
  }

  /** The ledger of a document; undefined if it has none. */
  ledger(root: string, name: string): Promise<HandoffLedger | undefined> {
    const files = { read: (at: string, path: string) => this.#files.read(at, path, MAX_LEDGER_BYTES) }
    return readJsonFile(files, root, ledgerPath(name), HandoffLedger).catch(() => undefined)
  }

  async storeLedger(root: string, name: string, ledger: HandoffLedger): Promise<void> {
    try {
      const text = `${JSON.stringify(this.clean(ledger), undefined, 2)}\n`
      await this.#files.write(root, ledgerPath(name), text, { shared: true })
    } catch (cause) {
      throw storeError(cause)
    }
  }

  /** The document or ledger with its secrets removed. */
  clean<T extends object>(value: T): T {
    return this.#redactor.redact(value)
  }

  /**
   * Removes secrets, and with them every other place of the same value: what an environment file holds, what the session read
   * from one, what one sentence calls a password, and words of the user that are not language and that the project does not know.
   */
  async hideSecrets<T extends object>(root: string, value: T, heard: HeardWords = {}): Promise<T> {
    const { read = [], user = [] } = heard
    const names = (await this.#files.list(root, '.').catch(() => []))
      .map(({ name }) => name)
      .filter(name => /^\.env(?:\.[\w.-]+)?$/.test(name))
    const texts = await Promise.all(names.map(name => this.#files.read(root, name).catch(() => undefined)))
    const inFiles = texts.flatMap((found, i) =>
      found?.kind === 'text'
        ? envSecrets(found.text).map(secret => ({ ...secret, what: `${secret.name}, in ${names[i]}` }))
        : [],
    )
    const opaque = [...new Set(user.flatMap(opaqueWordsIn))].slice(0, MAX_OPAQUE)
    const familiar = (await this.#git.findWords?.(root, opaque)) ?? []
    const unknown = opaque
      .filter(word => !familiar.includes(word))
      .map(word => ({ value: word, what: 'unknown word, maybe a secret' }))
    const told = [...read, ...stringsIn(value).flatMap(contextSecretsIn)].map(each => ({
      value: each,
      what: 'password',
    }))
    const known = new Map([...unknown, ...told, ...inFiles].map(secret => [secret.value, secret.what]))
    const longestFirst = [...known].sort(([a], [b]) => b.length - a.length)
    return this.clean(mapStrings(value, text => replaceValues(text, longestFirst)))
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

/** What a session heard that may hold secrets. */
export interface HeardWords {
  /** Values that it read from files for secrets. */
  read?: readonly string[] | undefined
  /** The user's own words. */
  user?: readonly string[] | undefined
}

const MAX_OPAQUE = 100
const MAX_IN_A_MINUTE = 1000
const MAX_LEDGER_BYTES = 4_000_000

const ledgerPath = (name: string): string => `${LEDGERS_FOLDER}/${name.replace(/\.md$/, '.json')}`

function replaceValues(text: string, values: readonly (readonly [string, string])[]): string {
  let clean = text
  for (const [value, what] of values)
    if (clean.includes(value)) clean = clean.replaceAll(value, `[redacted: ${what}]`)
  return clean
}

function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map(item => mapStrings(item, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)])) as T
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

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
