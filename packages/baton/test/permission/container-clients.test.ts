import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { ENDS_CONTAINMENT, isContainerClient } from '../../src/permission/container-clients.ts'
import { containmentPlace, whyOutside } from '../../src/permission/containment.ts'
import { judge } from '../../src/permission/judge.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { PLACE } from './place.ts'

const decide = (command: string, permissions: object = {}) =>
  judge({ tool: 'Bash', input: { command }, ...PLACE }, rulesInForce(Config.parse({ permissions }), PLACE))

describe('a rule that allows a container client', () => {
  test.each([
    ['docker run -v /:/host alpine', { program: 'docker' }],
    ['docker compose up -d', { program: 'docker', subcommand: 'compose up' }],
    ['podman build .', { pattern: '^podman ' }],
    ['docker-compose up', { program: 'docker-compose' }],
    ['/usr/bin/docker run alpine', { program: 'docker' }],
  ])('lets %s out of the sandbox, and says that this ends containment', async (command, rule) => {
    const judgement = decide(command, { allow: [rule] })
    expect(judgement.decision).toBe('allow')
    expect(judgement.trail.map(({ reason }) => reason).join()).toContain(ENDS_CONTAINMENT)
    const place = containmentPlace(
      { worktree: PLACE.worktree, cwd: PLACE.cwd, home: PLACE.home },
      { sandbox: { readable: [], writable: [], hosts: [], requestedHosts: [] } },
      path => path,
    )
    const ports = { exists: () => false, mayChange: async () => false } as never
    expect(await whyOutside(judgement, place, ports)).toMatch(
      /works outside the sandbox|changes this machine/,
    )
  })

  test('is needed: without one, no container starts unasked', () => {
    for (const command of ['docker run alpine', 'docker compose up', 'podman build .'])
      expect(decide(command).decision, command).not.toBe('allow')
  })

  test.each(['npm run docker', 'echo docker', 'dockerize x', './dockerfile-lint'])(
    'is not meant by %s',
    part => expect(isContainerClient(part)).toBe(false),
  )

  test('is not named where a rule asks or denies', () => {
    for (const list of ['ask', 'deny']) {
      const { trail } = decide('docker run alpine', { [list]: [{ program: 'docker' }] })
      expect(trail.map(({ reason }) => reason).join()).not.toContain(ENDS_CONTAINMENT)
    }
  })
})
