import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapPaths } from '../../src/engine/map-paths.ts'
import type { DecodedEvent } from '../../src/ports/agent.ts'

const reading = (paths: string[], cwd = '/workspace'): DecodedEvent & { type: 'ToolRequested' } => ({
  type: 'ToolRequested',
  nativeSession: 's',
  cwd,
  transcript: `${cwd}/t.jsonl`,
  tool: 'Read',
  input: {},
  action: { kind: 'read', paths },
})
const mapped = (path: string, map: string): string => {
  const event = mapPaths(reading([path]), map)
  return 'action' in event && 'paths' in event.action ? (event.action.paths[0] ?? '') : ''
}

describe('path maps', () => {
  it.each([
    ['/workspace/src/a.ts', '/workspace=/home/dev/project', '/home/dev/project/src/a.ts'],
    ['/workspace', '/workspace=/home/dev/project', '/home/dev/project'],
    ['/workspace2/a', '/workspace=/home/dev/project', '/workspace2/a'],
    ['/workspace/a', '/workspace/=/home/dev/', '/home/dev/a'],
    ['/etc/passwd', '/=/host', '/host/etc/passwd'],
    ['/host/etc', '/host=/', '/etc'],
    ['/host', '/host=/', '/'],
    ['/a/b/c', '/a=/one;/a/b=/two', '/two/c'],
    ['/a/x', '/a=/one;/a/b=/two', '/one/x'],
    ['src/a.ts', '/workspace=/home/dev', 'src/a.ts'],
  ])('%s by %s is %s', (path, map, expected) => {
    expect(mapped(path, map)).toBe(expected)
  })

  it('reach the folder, the transcript, the paths and the folder of a command', () => {
    const event = mapPaths(
      { ...reading([]), action: { kind: 'shell', command: 'ls /workspace', cwd: '/workspace/x' } },
      '/workspace=/p',
    )
    expect(event).toMatchObject({
      cwd: '/p',
      transcript: '/p/t.jsonl',
      action: { command: 'ls /workspace', cwd: '/p/x' },
    })
  })

  it('that say nothing usable change nothing', () => {
    const event = reading(['/workspace/a'])
    for (const map of [undefined, '', ';', '=', '/a', 'relative=/x', '/a=relative', ';;=;=/x'])
      expect(mapPaths(event, map)).toEqual(event)
  })

  it('never throw, and keep an absolute path absolute, whatever they hold', () => {
    const absolute = fc.string({ unit: 'binary-ascii' }).map(text => `/${text}`)
    const piece = fc.oneof(absolute, fc.string(), fc.constantFrom('/', '//', '/../..', '/a=/b=/c', '='))
    const map = fc
      .array(fc.tuple(piece, piece).map(([from, to]) => `${from}=${to}`))
      .map(all => all.join(';'))
    fc.assert(
      fc.property(absolute, map, (path, given) => {
        expect(mapped(path, given).startsWith('/')).toBe(true)
      }),
    )
  })

  it('take no long time over eight kilobytes of slashes', () => {
    const slashes = '/'.repeat(4000)
    expect(mapped('/a/b', `${slashes}a=${slashes}x`)).toBe('/x/b')
  })
})
