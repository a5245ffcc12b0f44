import { describe, expect, test } from 'vitest'
import { apiUrlOf, tokenFor } from '../../../src/adapters/github/token.ts'
import { scratch } from '../../world/scratch.ts'

describe('the token', () => {
  const none = { env: {}, program: '' }

  test('comes from the configuration, then GITHUB_TOKEN, then GH_TOKEN', async () => {
    const env = { GITHUB_TOKEN: 'github', GH_TOKEN: 'gh' }
    expect(await tokenFor('github.com', { ...none, env, configured: 'own' })).toBe('own')
    expect(await tokenFor('github.com', { ...none, env })).toBe('github')
    expect(await tokenFor('github.com', { ...none, env: { GITHUB_TOKEN: ' ', GH_TOKEN: 'gh\n' } })).toBe('gh')
    expect(await tokenFor('acme.ghe.com', { ...none, env })).toBe('github')
  })

  test('is never given to a host that only the repository names', async () => {
    const env = { GITHUB_TOKEN: 'github', GH_TOKEN: 'gh', GH_ENTERPRISE_TOKEN: 'enterprise' }
    const evil = tokenFor('evil.example.com', { ...none, env, configured: 'own' })
    await expect(evil).rejects.toMatchObject({ trouble: 'unauthorised' })
    await expect(tokenFor('github.com.evil.example', { ...none, env })).rejects.toThrow('No token for')
    await expect(tokenFor('evilghe.com', { ...none, env })).rejects.toThrow('No token for')
  })

  test('goes to the enterprise host that the person named', async () => {
    const sources = { ...none, env: { GITHUB_TOKEN: 'github' }, configuredHost: 'ghe.example.com' }
    expect(await tokenFor('ghe.example.com', sources)).toBe('github')
    expect(
      await tokenFor('ghe.example.com', {
        ...none,
        env: { GH_HOST: 'ghe.example.com', GH_ENTERPRISE_TOKEN: 'e' },
      }),
    ).toBe('e')
    expect(await tokenFor('ghe.example.com', { ...sources, configured: 'own' })).toBe('own')
  })

  test('is asked of gh last, by host and without variables that would answer instead', async () => {
    await using folder = scratch()
    const program = folder.write('gh', '#!/bin/sh\necho "from-gh-$4-${GITHUB_TOKEN:-clean}"\n', 0o755)
    const env = { PATH: process.env.PATH, GITHUB_TOKEN: '' }
    expect(await tokenFor('ghe.example.com', { env, program })).toBe('from-gh-ghe.example.com-clean')
  })

  test('a gh that fails, or is not there, leaves a remedy', async () => {
    await using folder = scratch()
    const program = folder.write('gh', '#!/bin/sh\necho noise; exit 1\n', 0o755)
    await expect(tokenFor('github.com', { env: { PATH: process.env.PATH }, program })).rejects.toMatchObject({
      trouble: 'unauthorised',
      remedy: expect.stringContaining('GITHUB_TOKEN'),
    })
    await expect(tokenFor('github.com', { env: {}, program: '/nowhere/gh' })).rejects.toThrow('No token for')
  })

  test('one with line breaks or spaces inside is refused and not shown', async () => {
    const env = { GITHUB_TOKEN: 'abc\r\nx-evil: 1' }
    const error = await tokenFor('github.com', { ...none, env }).catch((thrown: unknown) => thrown)
    expect(String(error)).not.toContain('evil')
    expect(error).toMatchObject({ trouble: 'unauthorised' })
  })
})

test('each kind of host has its API', () => {
  expect(apiUrlOf('github.com')).toBe('https://api.github.com')
  expect(apiUrlOf('acme.ghe.com')).toBe('https://api.acme.ghe.com')
  expect(apiUrlOf('ghe.example.com')).toBe('https://ghe.example.com/api/v3')
})
