import { expect, test } from 'vitest'
import { type ReleaseFacts, releaseProblems, sectionOf } from '../../../../scripts/release.ts'

const ready: ReleaseFacts = {
  branch: 'main',
  changes: '',
  versions: { 'packages/baton/package.json': '0.2.0', 'apps/vscode/package.json': '0.2.0' },
  changelog: '# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n### Claims\n\n- Faster.\n\n## 0.1.0\n\n- First.\n',
  tags: ['v0.1.0'],
}

test('a clean main with one version, a closed changelog and no such tag can be released', () => {
  expect(releaseProblems(ready)).toEqual([])
})

test.each<[string, Partial<ReleaseFacts>, RegExp]>([
  ['another branch', { branch: 'fix' }, /from main, but this is fix/],
  ['a detached HEAD', { branch: '' }, /a detached HEAD/],
  ['uncommitted changes', { changes: ' M README.md\n' }, /uncommitted changes/],
  [
    'a pre-release version',
    { versions: { 'packages/baton/package.json': '0.2.0-rc.1' } },
    /Not a release version/,
  ],
  [
    'a package with another version',
    { versions: { ...ready.versions, 'apps/vscode/package.json': '0.1.0' } },
    /apps\/vscode\/package\.json is 0\.1\.0/,
  ],
  [
    'a changelog without the version',
    { changelog: '## Unreleased\n\n## 0.1.0\n\n- First.\n' },
    /no section "## 0\.2\.0"/,
  ],
  [
    'entries under Unreleased',
    { changelog: '## Unreleased\n\n- New.\n\n## 0.2.0\n\n- A.\n' },
    /under Unreleased/,
  ],
  ['a tag that exists', { tags: ['v0.2.0'] }, /tag v0\.2\.0 exists/],
])('%s is a problem', (_what, facts, problem) => {
  expect(releaseProblems({ ...ready, ...facts }).join('\n')).toMatch(problem)
})

test('a section ends at the next version', () => {
  expect(sectionOf(ready.changelog, '0.2.0')).toBe('### Claims\n\n- Faster.')
  expect(sectionOf(ready.changelog, '0.2')).toBe('')
})
