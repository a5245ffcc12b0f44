import fc from 'fast-check'

/**
 * How one program is tried: command lines of which most only read, and the ways in which its reader was once fooled. In the
 * words, `./trip` runs the wire, `out` is a file that must not appear, `../secret` one that must not be shown, and PORT, TRIP
 * and SECRET become the port of the listener and the whole paths of both files.
 */
export interface Fuzzed {
  readonly program: string
  readonly args: fc.Arbitrary<string[]>
  /** Texts as a reader with a known hole saw them: it overlooked what is taken away here. */
  readonly holes: Readonly<Record<string, (args: readonly string[]) => string[]>>
}

export const pick = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)

/** Mostly the first, sometimes the second. */
export const mostly = (
  harmless: fc.Arbitrary<string>,
  hostile: fc.Arbitrary<string>,
  weight = 9,
): fc.Arbitrary<string> => fc.oneof({ weight, arbitrary: harmless }, { weight: 1, arbitrary: hostile })

export const joined = (
  parts: fc.Arbitrary<string>,
  separators: fc.Arbitrary<string>,
  maxLength: number,
): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(parts, separators), { minLength: 1, maxLength })
    .map(list => list.map(([part, separator], at) => part + (at < list.length - 1 ? separator : '')).join(''))

/** Changes every word. */
export const inEach =
  (change: (text: string) => string) =>
  (args: readonly string[]): string[] =>
    args.map(change)

/** Leaves a flag, its value or any other word out. */
export const without =
  (...parts: readonly (readonly string[])[]) =>
  (args: readonly string[]): string[] => {
    const kept = [...args]
    for (const part of parts) {
      const at = kept.findIndex((_, index) => part.every((text, offset) => kept[index + offset] === text))
      if (at !== -1) kept.splice(at, part.length)
    }
    return kept
  }
