/** Usual sizes of context windows by model, for figures that come without one. The first that fits counts. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]/i, 1_000_000],
  [/^claude-(?:opus|sonnet)-(?:[5-9]|\d\d)/, 1_000_000],
  [/^claude-/, 200_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:[5-9]|\d\d)/, 272_000],
  [/^(?:gpt-4|o1|o3|o4)/, 128_000],
  [/^gemini-/, 1_048_576],
]

/** The usual window of a model; undefined for one that is not known. */
export function windowOf(model: string | undefined): number | undefined {
  // Services put the vendor or a region before the name.
  const name = model
    ?.split('/')
    .at(-1)
    ?.replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
  return name === undefined ? undefined : WINDOWS.find(([pattern]) => pattern.test(name))?.[1]
}
