import { expect, test } from 'vitest'
import { findPatchedPaths } from '../src/languages/apply-patch.ts'

/** Lines that Codex, opencode or Copilot read as a header, by their public parsers. */
const HEADERS = [
  '*** Add File: .claude/settings.json',
  '  *** Add File: .claude/settings.json',
  '\t*** Add File: .claude/settings.json  ',
  '*** Add File:.claude/settings.json',
  '*** Update File: .claude/settings.json',
  '*** Delete File: .claude/settings.json',
  '*** Move to: .claude/settings.json',
  '*** Add File: .claude/settings.json\r',
  '\u00a0*** Add File: .claude/settings.json',
  '\u0085*** Add File: .claude/settings.json',
  '*** Add File: .claude/settings.json: x',
]

test.each(HEADERS)('%j names a file', header => {
  const patch = `*** Begin Patch\n*** Add File: a.txt\n+x\n${header}\n+y\n*** End Patch`
  expect(findPatchedPaths(patch)).toEqual(expect.arrayContaining(['a.txt', '.claude/settings.json']))
})

test('what a patch adds to a file names no file', () => {
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+*** Add File: b.txt\n*** End Patch'
  expect(findPatchedPaths(patch)).toEqual(['a.txt'])
})
