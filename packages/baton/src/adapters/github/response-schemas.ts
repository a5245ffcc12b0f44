import { z } from 'zod'

/** Parts of GitHub's answers that several queries share. Unknown fields are dropped; missing ones are errors. */

/** A GraphQL list, without the nulls that replace what the token may not see. */
export const nodes = <T extends z.ZodType>(item: T) =>
  z
    .object({ nodes: z.array(item.nullable()).nullish() })
    .transform(({ nodes }) => (nodes ?? []).filter(node => node !== null) as z.output<T>[])

/** `ghost`: the account was deleted. */
export const author = z
  .object({ login: z.string() })
  .nullish()
  .transform(value => value?.login)

export const time = z.iso.datetime({ offset: true }).transform(text => Date.parse(text))

/** GitHub adds values to its enumerations without notice: an unknown value must not break the rest. */
export const word = z.string().transform(text => text.toLowerCase().replaceAll('_', '-'))

export const issueState = word.transform(state =>
  state === 'open' ? ('open' as const) : ('closed' as const),
)

export const restLabel = z
  .union([z.string(), z.object({ name: z.string().nullish() })])
  .transform(label => (typeof label === 'string' ? label : (label.name ?? '')))

/** For calls whose answer is not used. */
export const anything = z.unknown()
