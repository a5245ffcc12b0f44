import { CLAIM_FILE, CLAIM_VERSION, ClaimFile } from '@batonpass/contract/claim'
import type { SmallFiles } from '../ports/small-files.ts'

/** The signal file as found. `unreadable`: invalid or of another version; Baton does not act on it. */
export type SignalFound =
  | { kind: 'claim'; file: ClaimFile; text: string; modifiedMs: number }
  | { kind: 'absent' }
  | { kind: 'unreadable'; why: string }

const MAX_BYTES = 64 * 1024

/** Reads and writes `.agent-claim.json`. Agents and people edit it at any time, so a concurrent change is never overwritten. */
export class SignalFiles {
  readonly #files: SmallFiles

  constructor(files: SmallFiles) {
    this.#files = files
  }

  async read(project: string): Promise<SignalFound> {
    const found = await this.#files.read(project, CLAIM_FILE, MAX_BYTES)
    if (found.kind === 'absent') return found
    if (found.kind === 'refused') return { kind: 'unreadable', why: found.why }
    const read = readSignal(found.text)
    return read.kind === 'claim' ? { ...read, text: found.text, modifiedMs: found.modifiedMs } : read
  }

  /** Throws FileError `busy` if the file already exists. */
  create(project: string, file: ClaimFile): Promise<void> {
    return this.#files.write(project, CLAIM_FILE, written(file), { fresh: true })
  }

  /** Changes the current file. Returns undefined if there is no valid file, or if it keeps changing. */
  async change(project: string, change: (file: ClaimFile) => ClaimFile): Promise<ClaimFile | undefined> {
    for (let tries = 0; tries < 5; tries++) {
      const before = await this.read(project)
      if (before.kind !== 'claim') return undefined
      const after = change(before.file)
      const again = await this.read(project)
      if (again.kind !== 'claim' || again.text !== before.text) continue
      if (written(after) !== before.text) await this.#files.write(project, CLAIM_FILE, written(after))
      return after
    }
    return undefined
  }

  async remove(project: string): Promise<void> {
    await this.#files.remove(project, CLAIM_FILE)
  }
}

/** Parses the text of a signal file. */
export function readSignal(
  text: string,
): { kind: 'claim'; file: ClaimFile } | { kind: 'unreadable'; why: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'unreadable', why: `${CLAIM_FILE} is not valid JSON` }
  }
  const version =
    typeof value === 'object' && value !== null && 'schema_version' in value
      ? value.schema_version
      : undefined
  if (version !== CLAIM_VERSION)
    return {
      kind: 'unreadable',
      why: `${CLAIM_FILE} has schema_version ${JSON.stringify(version) ?? 'missing'}, but this Baton supports only ${CLAIM_VERSION}`,
    }
  const parsed = ClaimFile.safeParse(value)
  if (parsed.success) return { kind: 'claim', file: parsed.data }
  const [issue] = parsed.error.issues
  return {
    kind: 'unreadable',
    why: `${CLAIM_FILE}: ${issue?.path.join('.') || 'the file'} is not valid`,
  }
}

export const written = (file: ClaimFile): string => `${JSON.stringify(file, null, 2)}\n`
