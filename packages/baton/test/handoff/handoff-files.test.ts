import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HandoffDocument } from '@batonpass/contract/handoff'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { compareByAge, formatCreated, handoffName } from '../../src/handoff/document-name.ts'
import { HandoffFiles } from '../../src/handoff/handoff-files.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import { FileError } from '../../src/ports/files.ts'
import { scratch } from '../world/scratch.ts'

const NOW = new Date(2026, 0, 22, 14, 30, 5).getTime()
const document = HandoffDocument.parse({ nextSteps: ['Go on'] })
const git = { exclude: async () => {} }

describe('the documents of a project', () => {
  it('are named by the minute, and many at once each get their own name, in order', async () => {
    await using project = scratch()
    const files = new HandoffFiles(systemSmallFiles, git, makeRedactor())
    const names = await Promise.all(
      Array.from({ length: 12 }, () => files.store(project.path, document, NOW)),
    )
    expect(new Set(names).size).toBe(12)
    expect(await files.list(project.path)).toEqual(
      Array.from({ length: 12 }, (_, i) => handoffName(NOW, i + 1)),
    )
    expect(handoffName(NOW)).toBe('handoff-2026-01-22-14-30.md')
    expect(handoffName(NOW, 2)).toBe('handoff-2026-01-22-14-30-2.md')
    expect(formatCreated(NOW)).toBe('2026-01-22 14:30:05')
    // No temporary file is left.
    expect(readdirSync(join(project.path, '.bmad/handoffs'))).toHaveLength(12)
  })

  it('are ordered by time, then by number', () => {
    const later = 'handoff-2026-01-22-14-31.md'
    expect([later, handoffName(NOW, 10), handoffName(NOW, 2), handoffName(NOW)].sort(compareByAge)).toEqual([
      handoffName(NOW),
      handoffName(NOW, 2),
      handoffName(NOW, 10),
      later,
    ])
  })

  it('cannot be stored on a full disk, and the message says what to do', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const write = async () => {
      throw new FileError('failed', '/x', full)
    }
    const files = new HandoffFiles({ ...systemSmallFiles, write }, git, makeRedactor())
    await expect(files.store('/x', document, NOW)).rejects.toMatchObject({
      code: 'disk_full',
      remedy: expect.stringContaining('The session itself is unchanged'),
    })
  })

  it('lose words of the user that are not language, unless the project knows them', async () => {
    await using project = scratch()
    const known = {
      ...git,
      findWords: async (_: string, words: readonly string[]) => words.filter(word => word === 'Zebra-X9'),
    }
    const files = new HandoffFiles(systemSmallFiles, known, makeRedactor())
    const user = ['Keep the Zebra-X9 mode. The gate opens with Okapi-B7.']
    const said = { notes: [...user, 'I used Okapi-B7 at commit 4f1d0aa.'] }
    expect(await files.hideSecrets(project.path, said, { user })).toEqual({
      notes: [
        'Keep the Zebra-X9 mode. The gate opens with [redacted: unknown word, maybe a secret].',
        'I used [redacted: unknown word, maybe a secret] at commit 4f1d0aa.',
      ],
    })
  })
})
