import { Config } from '@batonpass/contract/config'
import type { ReleasedAction } from '@batonpass/contract/permission'
import { describe, expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { canBind, isSameAction } from '../../src/sandbox/broker/released-actions.ts'

const HOME = '/home/dev'
const PROJECT = `${HOME}/project`

/** What a yes to this text covers. */
function releasedBy(command: string): ReleasedAction[] {
  const rules = rulesInForce(Config.parse({}), { worktree: PROJECT, home: HOME })
  const request = { tool: 'Bash', input: { command }, cwd: PROJECT, worktree: PROJECT, home: HOME }
  return judge(request, rules).effects.brokered ?? []
}

const outgoing = (text: string, more: { cwd?: string; branch?: string; words?: string[] } = {}) => ({
  words: text.split(' '),
  cwd: PROJECT,
  branch: 'feature',
  ...more,
})

describe('a yes to the text of a command', () => {
  test.each<[string, ReturnType<typeof outgoing>, boolean]>([
    ['npm test && git push', outgoing('git push'), true],
    ['npm test && git push', outgoing('git push origin main'), false],
    ['npm test && git push', outgoing('git push --force'), false],
    ['npm test && git push', outgoing('git fetch'), false],
    ['npm test && git push', outgoing('git push', { cwd: `${PROJECT}/sub` }), false],
    ['npm test && git push', outgoing('git push', { cwd: '/tmp' }), false],
    ['cd sub && git push', outgoing('git push', { cwd: `${PROJECT}/sub` }), true],
    ['git push origin feature', outgoing('git push origin feature'), true],
    [
      'git push origin feature',
      outgoing('git push origin', { words: ['git', 'push', 'origin feature'] }),
      false,
    ],
    ['git push origin feature', outgoing('git push origin other'), false],
    ['git push origin "fea"ture', outgoing('git push origin feature'), true],
    // A branch that is only known when it runs: the current one, and nothing else.
    ['git push -u origin "$(git branch --show-current)"', outgoing('git push -u origin feature'), true],
    ['git push -u origin $(git branch --show-current)', outgoing('git push -u origin feature'), true],
    ['git push -u origin "$(cat name)"', outgoing('git push -u origin +feature:main'), false],
    ['git push -u origin "$(cat name)"', outgoing('git push -u origin main'), false],
    ['git push -u origin "$(cat name)"', outgoing('git push -u origin --force'), false],
    ['git push -u origin $(cat names)', outgoing('git push -u origin feature main'), false],
    // Text for people may be anything; what it belongs to may not.
    [
      'gh pr create -t T --body "$(cat body)"',
      outgoing('', { words: ['gh', 'pr', 'create', '-t', 'T', '--body', '--x\ny'] }),
      true,
    ],
    [
      'gh pr create -t T --body="$(cat body)"',
      outgoing('', { words: ['gh', 'pr', 'create', '-t', 'T', '--body=a b'] }),
      true,
    ],
    ['gh pr create -t T --body "$(cat body)"', outgoing('gh pr create -t other --body x'), false],
    ['gh pr create -t T --body "$(cat body)"', outgoing('gh pr merge -t T --body x'), false],
    ['gh pr create -t T --body "$(cat body)"', outgoing('gh pr create -t T --base x'), false],
  ])('%s', (text, arrives, covered) => {
    const actions = releasedBy(text)
    expect(actions.every(canBind)).toBe(true)
    expect(actions.some(action => isSameAction(action, arrives))).toBe(covered)
  })

  test.each([
    'gh pr merge "$NUMBER"',
    'gh issue close $(cat issues)',
    'git push $OPTIONS; git fetch "$REMOTE"',
    'git push "or$x" main',
    'cd "$SOMEWHERE" && git push',
  ])('cannot be tied to %s', text => {
    const actions = releasedBy(text)
    expect(actions.length === 0 || !actions.every(canBind)).toBe(true)
  })

  test('covers each of equal parts', () => {
    expect(releasedBy('git push && git push')).toHaveLength(2)
  })
})
