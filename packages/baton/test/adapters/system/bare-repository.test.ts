import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBareRepository } from '../../../src/adapters/system/bare-repository.ts'

test('a folder that git would take for a bare repository is found, from below too', () => {
  const root = mkdtempSync(join(tmpdir(), 'baton-bare-'))
  const bare = join(root, 'sub')
  mkdirSync(join(bare, 'objects'), { recursive: true })
  mkdirSync(join(bare, 'refs'))
  mkdirSync(join(root, 'src', '.git'), { recursive: true })
  expect(findBareRepository(bare)).toBeUndefined()
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n')
  expect(findBareRepository(bare)).toBe(bare)
  expect(findBareRepository(join(bare, 'refs'))).toBe(bare)
  expect(findBareRepository(join(root, 'src'))).toBeUndefined()
  rmSync(root, { recursive: true })
})
