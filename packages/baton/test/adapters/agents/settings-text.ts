import fc from 'fast-check'
import { parse } from 'jsonc-parser'

export interface SettingsText {
  text: string
  value: Record<string, unknown>
}

/**
 * Settings files as people leave them: other keys, other people's hooks, empty lists, comments anywhere,
 * trailing commas, tabs, CRLF, a byte order mark.
 */
export function settingsText(
  events: readonly string[],
  entries: 'groups' | 'flat',
): fc.Arbitrary<SettingsText> {
  const handler = fc.oneof(
    fc.record({
      type: fc.constant('command'),
      command: fc.constantFrom('echo baton-hook', './baton-hook.sh', '/x/not-baton-hook run', 'true', '"'),
    }),
    fc.record({
      type: fc.constant('http'),
      url: fc.constantFrom('http://127.0.0.1:1/x', 'https://a.example/claude-code/Stop?source=user'),
    }),
  )
  const group = fc.record(
    { matcher: fc.constantFrom('*', 'Bash', ''), hooks: fc.array(handler, { maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  )
  const entry: fc.Arbitrary<unknown> = entries === 'groups' ? group : handler
  const hooks = fc.dictionary(fc.constantFrom(...events, 'BrandNew'), fc.array(entry, { maxLength: 2 }), {
    maxKeys: 4,
    noNullPrototype: true,
  })
  const value = fc
    .uniqueArray(fc.constantFrom('env', 'hooks', 'permissions', 'version', '$schema', 'ü'), { maxLength: 4 })
    .chain(keys =>
      fc
        .tuple(...keys.map(key => keyValue(key, hooks)))
        .map(values => Object.fromEntries(keys.map((key, at) => [key, values[at]]))),
    )
  return fc
    .record({
      value,
      noise: fc.array(fc.constantFrom(...NOISE), { minLength: 1, maxLength: 60 }),
      trailing: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      bom: fc.boolean(),
      newline: fc.constantFrom('\n', '\r\n'),
    })
    .map(({ value, noise, trailing, bom, newline }) => {
      const text = `${bom ? '\uFEFF' : ''}${render(value, taker(noise), taker(trailing))}`
      return { value, text: newline === '\n' ? text : text.replaceAll(/\r?\n/g, '\r\n') }
    })
}

export function parseSettings(text: string): Record<string, unknown> {
  return parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
}

const NOISE = [
  '',
  '',
  ' ',
  ' \n',
  '\n',
  '\n  ',
  '\n\t',
  '/* a, "b": [{ */',
  ' /**/ ',
  ' // to the } end, "x"\n',
  '//\n',
]

function keyValue(key: string, hooks: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (key === 'hooks') return hooks
  if (key === 'version') return fc.constantFrom(1, 2)
  return fc.jsonValue({ maxDepth: 2 })
}

/** JSON with noise at every place where there may be some. */
function render(value: unknown, noise: () => string, trailing: () => boolean): string {
  const inner = (items: string[], open: string, close: string) => {
    const comma = items.length > 0 && trailing() ? `,${noise()}` : ''
    return `${open}${items.length === 0 ? noise() : items.join(',')}${comma}${close}`
  }
  const draw = (each: unknown): string => {
    if (Array.isArray(each))
      return inner(
        each.map(item => noise() + draw(item) + noise()),
        '[',
        ']',
      )
    if (typeof each === 'object' && each !== null) {
      const items = Object.entries(each).map(
        ([key, item]) => `${noise()}${JSON.stringify(key)}${noise()}:${noise()}${draw(item)}${noise()}`,
      )
      return inner(items, '{', '}')
    }
    return JSON.stringify(each)
  }
  return noise() + draw(value) + noise()
}

/** The items over and over. */
function taker<T>(items: readonly T[]): () => T {
  let at = 0
  return () => items[at++ % items.length] as T
}
