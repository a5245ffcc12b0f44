import { z } from 'zod'
import { isRefName } from './plan-git.ts'

/** What a program in the sandbox may answer, and what the broker keeps between two daemons. */
const Id = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
const Ref = z
  .string()
  .max(400)
  .refine(name => name.startsWith('refs/') && isRefName(name.slice(0, 255)))
export const Facts = z.object({
  top: z.string().max(4096).optional(),
  head: Ref.optional(),
  headId: Id.optional(),
  refs: z.array(z.object({ ref: Ref, id: Id })).max(100_000),
  shallow: z.array(Id).max(10_000),
  settings: z.array(z.tuple([z.string().max(500), z.string().max(2000)])).max(10_000),
})
export type Facts = z.infer<typeof Facts>
export const TextAnswer = z.union([z.object({ text: z.string() }), z.object({ error: z.string().max(500) })])
export const Exit = z.number().int().min(0).max(255)
export const Repositories = z.array(
  z.object({
    worktree: z.string(),
    objects: z.string(),
    configFile: z.string(),
    alternates: z.string(),
    remotes: z.array(
      z.object({ name: z.string(), url: z.string(), pushUrl: z.string(), fetch: z.array(z.string()) }),
    ),
  }),
)

export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
