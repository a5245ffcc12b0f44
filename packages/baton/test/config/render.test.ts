import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderConfig } from '../../src/config/render.ts'
import { configWorld } from './world.ts'

async function rendered(yaml: string, options: Parameters<typeof renderConfig>[1] = {}) {
  await using world = configWorld()
  world.write('home/.baton.yaml', yaml)
  world.places.env.BATON_STORE_URL = 'postgres://u:hunter2@db/baton'
  return renderConfig(await world.load(), options).replaceAll(`${world.path}/`, '')
}

describe('baton config', () => {
  test('prints each key, its value and the line it came from', async () => {
    const text = await rendered('handsoff:\n  max_continuations: 3\njournal: {retain: {size: 512MiB}}\n')
    expect(text).toMatch(/^handsoff\.enabled +true +default$/m)
    expect(text).toMatch(/^handsoff\.max_continuations +3 +home\/\.baton\.yaml:2$/m)
    expect(text).toMatch(/^handsoff\.supervisor\.model +provider-specific +default$/m)
    expect(text).toMatch(/^journal\.retain\.size +536870912B +home\/\.baton\.yaml:3$/m)
    expect(text).toMatch(/^budget\.per_day\.money +no limit +default$/m)
    expect(text).toMatch(/^store\.url +•••• +\$BATON_STORE_URL$/m)
  })

  test('gives each rule and each workflow its own line', async () => {
    const text = await rendered(
      'permissions:\n  deny:\n    - ^rm\n    - {pattern: x, tool: Bash}\nworkflows:\n  ship:\n    prompt: go\n',
      {
        key: 'permissions',
      },
    )
    expect(text).toMatch(/^permissions\.deny\[0\] +"\^rm" +home\/\.baton\.yaml:3$/m)
    expect(text).toMatch(/^permissions\.deny\[1\] +\{"pattern":"x","tool":"Bash"\} +home\/\.baton\.yaml:4$/m)
    expect(text).not.toContain('workflows')
  })

  test('prints a single key as its bare value, for scripts', async () => {
    expect(await rendered('handsoff: {max_continuations: 3}\n', { key: 'handsoff.max_continuations' })).toBe(
      '3\n',
    )
    expect(JSON.parse(await rendered('{}\n', { key: 'handsoff.enabled', json: true }))).toEqual({
      key: 'handsoff.enabled',
      value: true,
      source: { kind: 'default' },
    })
  })

  test('never shows a secret, in no form', async () => {
    const yaml = 'telegram: {token: "123:tok-s3cret", enabled: true}\n'
    for (const options of [
      {},
      { json: true },
      { key: 'telegram' },
      { key: 'telegram.token' },
      { key: 'store.url', json: true },
    ]) {
      const text = await rendered(yaml, options)
      expect(text).not.toMatch(/s3cret|hunter2|123:tok/)
      expect(text).toMatch(/••••|\(set\)/)
    }
  })

  test('JSON holds values, sources, problems, notices and files', async () => {
    const whole = JSON.parse(await rendered('handsoff: {max_continuations: 3}\n', { json: true }))
    expect(whole.config.handsoff.max_continuations).toBe(3)
    expect(whole.sources['handsoff.max_continuations']).toEqual({
      kind: 'file',
      file: 'home/.baton.yaml',
      line: 1,
      column: 31,
    })
    expect(whole).toMatchObject({
      problems: [],
      notices: [],
      files: [{ path: 'home/.baton.yaml', standing: 'own' }],
    })
  })

  test('an unknown key names the one that was meant', async () => {
    await expect(rendered('{}\n', { key: 'handsoff.enable' })).rejects.toMatchObject({
      code: 'usage',
      remedy: 'Did you mean handsoff.enabled?',
    })
  })

  test('a repository cannot steer the terminal', async () => {
    await using world = configWorld()
    world.write('project/.baton.yaml', 'permissions: {deny: ["\\e[2J\\u202Egnp"]}\n"\\e[31mbad": 1\n')
    const loaded = await world.load()
    const { problemLine } = await import('../../src/config/problem.ts')
    const text = renderConfig(loaded) + loaded.problems.map(problemLine).join('\n')
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(loaded.problems[0]?.file).toBe(join(world.path, 'project/.baton.yaml'))
  })
})
