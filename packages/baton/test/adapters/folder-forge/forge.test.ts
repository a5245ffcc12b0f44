import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderForge } from '../../../src/adapters/folder-forge/forge.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { ForgeError } from '../../../src/ports/forge.ts'
import { scratch } from '../../world/scratch.ts'

const ISSUE = { number: 42, title: 'Discounts', status: 'Todo', labels: ['bug'] }

function world(state: unknown = { issues: [ISSUE] }) {
  const folder = scratch().path
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      cwd: folder,
      encoding: 'utf8',
    }).trim()
  git('init', '-q', '--bare', '-b', 'main', 'origin.git')
  writeFileSync(join(folder, 'forge.json'), JSON.stringify(state))
  const tree = git('--git-dir=origin.git', 'hash-object', '-t', 'tree', '-w', '/dev/null')
  const commit = (branch: string, words: string) => {
    const id = git('--git-dir=origin.git', 'commit-tree', tree, '-m', words)
    git('--git-dir=origin.git', 'update-ref', `refs/heads/${branch}`, id)
    return id
  }
  commit('main', 'first')
  return {
    folder,
    commit,
    forge: folderForge(folder, systemSmallFiles),
    people: (people: unknown) => writeFileSync(join(folder, 'people.json'), JSON.stringify(people)),
    saved: () => JSON.parse(readFileSync(join(folder, 'forge.json'), 'utf8')),
  }
}

describe('a forge that is a folder', () => {
  test('a pull request is opened once for a pushed branch, by one of several callers at the same time', async () => {
    const { forge, commit, saved } = world()
    const headSha = commit('issue-42', 'work')
    const request = { branch: 'issue-42', title: 'Discounts', body: 'Refs #42' }
    const [one, two] = await Promise.all([forge.createPullRequest(request), forge.createPullRequest(request)])
    expect(one).toMatchObject({ created: true, state: 'open', base: 'main', headSha })
    expect(two).toMatchObject({ created: false, number: one.number })
    expect(saved().pulls).toHaveLength(1)
  })

  test('a branch that is not there, or has nothing new, is refused in words', async () => {
    const { forge } = world()
    const failing = async (branch: string) =>
      forge.createPullRequest({ branch, title: '', body: '' }).catch((cause: unknown) => cause)
    expect(await failing('nowhere')).toMatchObject({ trouble: 'not-found' })
    expect(await failing('--all')).toMatchObject({ trouble: 'not-found' })
    expect(await failing('main')).toMatchObject({ trouble: 'refused' })
  })

  test('checks and merges come from people, and no checks are not passed', async () => {
    const { forge, commit, people } = world()
    commit('issue-42', 'work')
    const { number } = await forge.createPullRequest({ branch: 'issue-42', title: '', body: '' })
    expect((await forge.pullRequest(number)).checks.verdict).toBe('none')
    people({ checks: { [number]: [{ name: 'test', state: 'passed' }] } })
    expect((await forge.pullRequest(number)).checks.verdict).toBe('passed')
    people({ merged: { [number]: 1700 } })
    expect(await forge.pullRequest(number)).toMatchObject({ state: 'merged', mergedAt: 1700 })
  })

  test('closing comments once and closes once', async () => {
    const { forge, saved } = world()
    const closing = { comment: 'Done', marker: 'clm_1' }
    expect(await forge.closeIssue(42, closing)).toEqual({ closed: true, commented: true })
    expect(await forge.closeIssue(42, closing)).toEqual({ closed: false, commented: false })
    expect(saved().issues[0].comments).toHaveLength(1)
  })

  test('the board knows Status and Agent, and says what it lacks', async () => {
    const { forge } = world()
    expect(await forge.setOnBoard(42, { status: 'in review', agent: 'you-1' })).toMatchObject({ done: true })
    expect((await forge.issue(42)).boardItem).toMatchObject({ status: 'In Review', agent: 'you-1' })
    expect(await forge.setOnBoard(42, { status: 'Nowhere' })).toMatchObject({ why: 'no-such-status' })
    const { made } = await forge.ensureBoard({ statuses: ['Nowhere'], agentField: true, labels: [] })
    expect(made).toEqual(['the Status "Nowhere"'])
    expect(await forge.setOnBoard(42, { status: 'Nowhere' })).toMatchObject({ done: true })
  })

  test('a garbled file is an error that says which, and nothing is written over it', async () => {
    const { folder, forge } = world()
    writeFileSync(join(folder, 'forge.json'), '{"issues": 7}')
    const error = await forge.assign(42, ['you']).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ForgeError)
    expect(String(error)).toContain('forge.json')
    expect(readFileSync(join(folder, 'forge.json'), 'utf8')).toBe('{"issues": 7}')
  })
})
