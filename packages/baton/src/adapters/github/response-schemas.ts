import { z } from 'zod'

/** Pieces of GitHub's answers that several questions share. Unknown fields are dropped, missing ones refused. */

/** A GraphQL list: what we may not see stands there as null and is left out. */
export const nodes = <T extends z.ZodType>(item: T) =>
  z
    .object({ nodes: z.array(item.nullable()).nullish() })
    .transform(({ nodes }) => (nodes ?? []).filter(node => node !== null) as z.output<T>[])

/** `ghost`: the account is gone. */
export const author = z
  .object({ login: z.string() })
  .nullish()
  .transform(value => value?.login)

export const time = z.iso.datetime({ offset: true }).transform(text => Date.parse(text))

/** GitHub adds words to its enumerations without notice: an unknown one must not break the rest. */
export const word = z.string().transform(text => text.toLowerCase().replaceAll('_', '-'))

export const issueState = word.transform(state =>
  state === 'open' ? ('open' as const) : ('closed' as const),
)

export const restLabel = z
  .union([z.string(), z.object({ name: z.string().nullish() })])
  .transform(label => (typeof label === 'string' ? label : (label.name ?? '')))

/** For calls whose answer nobody reads. */
export const anything = z.unknown()
