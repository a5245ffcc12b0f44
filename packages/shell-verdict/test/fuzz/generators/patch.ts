import fc from 'fast-check'

const pick = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
/** Mostly as it should be. */
const near = (plain: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(plain) }, { weight: 1, arbitrary: pick(...others) })
const names = pick(
  'a.txt',
  'b.txt',
  'sub/c.txt',
  'my file.txt',
  '.hidden/settings.json',
  'd: e.txt',
  '+f.txt',
  '*** g.txt',
)
/** Codex takes these away. */
const blanks = fc.oneof(
  { weight: 8, arbitrary: near('', '\u00a0', '\u2003', '\u0085') },
  { weight: 2, arbitrary: pick(' ', '  ', '\t') },
)
const colon = near(': ', ':', ' : ', ':\t')
const stars = near('*** ', '***', '***\t', '**** ', '** ')

/** A header as it is meant, or nearly. */
const header = (kinds: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(blanks, stars, kinds, colon, names, blanks).map(parts => parts.join(''))
const added = fc
  .tuple(
    header(near('Add File', 'add file', 'Add  File')),
    fc.array(pick('+x', '+', '+*** Add File: quoted.txt', '++y', '+ *** Delete File: f', '+\tz'), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([first, lines]) => [first, ...lines].join('\n'))
const changed = fc
  .tuple(
    header(near('Update File', 'update file')).map(text => text.replace(/(: ?).*/, '$1old.txt')),
    fc.option(header(near('Move to', 'Move To'))),
    pick('@@\n-one\n+two', '@@\n one\n+more', '-one\n+two\n*** End of File', '@@ x\n-one\n+two'),
  )
  .map(([first, move, hunk]) => [first, ...(move === null ? [] : [move]), hunk].join('\n'))
const removed = header(near('Delete File', 'delete file')).map(text => text.replace(/(: ?).*/, '$1gone.txt'))
const strange = pick('', '*** Environment ID: x', '  ', '*** End of File', '# note')

/** Patches as an agent is given them by a model that means harm: most are plain, some differ by a blank, a letter or a line. */
export const PATCH: fc.Arbitrary<string> = fc
  .tuple(
    near('*** Begin Patch\n', ' *** Begin Patch \n', "<<'EOF'\n*** Begin Patch\n", '*** Begin Patch\r\n'),
    fc.array(
      fc.oneof(
        { weight: 18, arbitrary: added },
        { weight: 6, arbitrary: changed },
        { weight: 5, arbitrary: removed },
        { weight: 1, arbitrary: strange },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    pick(
      '\n*** End Patch',
      '\n*** End Patch\n',
      '\n  *** End Patch  ',
      '\n*** End Patch\nEOF',
      '\r\n*** End Patch',
    ),
    near('\n', '\r\n'),
  )
  .map(([start, parts, end, newline]) => start + parts.join('\n').replaceAll('\n', newline) + end)
