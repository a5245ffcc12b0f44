import { z } from 'zod'
import { SessionId } from './ids.ts'
import { compilePattern } from './pattern.ts'

const line = (max: number) => z.string().regex(new RegExp(`^[^\\p{Cc}]{1,${max}}$`, 'u'))

/** A path below the root of the repository, or a pattern: `*` matches any part of a name, `**` also folders. */
const PathPattern = z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\p{Cc}]{1,300}$/u)
const paths = z.array(PathPattern).min(1).max(50)

const Output = z
  .string()
  .min(1)
  .max(500)
  .refine(source => {
    try {
      compilePattern(source)
      return true
    } catch {
      return false
    }
  })

const Minutes = z.number().min(0.05).max(240)
const Name = line(80).optional()

/** One thing that must be true at the end of a run, as a person declares it in a `done_when` list. */
export const CheckDeclaration = z.union([
  /** Shorthand for `{run: …}`. */
  line(2000),
  z.strictObject({
    run: line(2000),
    name: Name,
    /** The expected exit code. */
    exit: z.int().min(0).max(255).default(0),
    /** A regular expression that the output must match. */
    output: Output.optional(),
    minutes: Minutes.optional(),
  }),
  z.strictObject({
    files: z
      .strictObject({ exist: paths.optional(), changed: paths.optional(), unchanged: paths.optional() })
      .refine(({ exist, changed, unchanged }) => Boolean(exist ?? changed ?? unchanged)),
    name: Name,
  }),
  z.strictObject({
    diff: z
      .strictObject({
        /** Added and removed lines together. */
        max_lines: z.int().min(1).max(1_000_000).optional(),
        /** All changed files must match one of these. */
        only: paths.optional(),
        /** No test may be deleted, skipped or weakened. */
        tests: z.literal('kept').optional(),
      })
      .refine(({ max_lines, only, tests }) => Boolean(max_lines ?? only ?? tests)),
    name: Name,
  }),
  z.strictObject({
    forge: z
      .strictObject({
        /** All checks of the pull request pass on the forge. */
        checks: z.literal('green').optional(),
        /** The pull request is approved. */
        review: z.literal('approved').optional(),
      })
      .refine(({ checks, review }) => Boolean(checks ?? review)),
    name: Name,
    /** How long Baton waits for them. */
    minutes: z.number().min(0.05).max(10_080).optional(),
  }),
  z.strictObject({
    /** What a fresh session of an agent looks for in the change. */
    review: z.string().regex(/^(?=[\s\S]*\S)(?:[^\p{Cc}]|[\n\t]){1,4000}$/u),
    /** The agent; by default the first that is installed. */
    agent: z
      .string()
      .regex(/^[a-z][a-z-]{0,30}$/)
      .optional(),
    /** The model, as the agent calls it. */
    model: z
      .string()
      .regex(/^[A-Za-z0-9][\w.:/@[\]-]{0,199}$/)
      .optional(),
    name: Name,
    minutes: Minutes.optional(),
  }),
  z.strictObject({
    /** A question that a person answers with yes. */
    person: line(300),
    name: Name,
    /** How long Baton waits for the answer. */
    minutes: z.number().min(0.05).max(10_080).optional(),
  }),
])
export type CheckDeclaration = z.infer<typeof CheckDeclaration>

/** A `done_when` list: at most this many checks, at least one. */
export const DoneWhen = z.array(CheckDeclaration).min(1).max(30)

/** The checks that the workflow of a run declares, as they were when the run began. They replace those of the project. */
export const WorkflowChecks = z.object({ workflow: z.string(), done_when: DoneWhen })
export type WorkflowChecks = z.infer<typeof WorkflowChecks>

/** The checks that an issue adds, as they were when its work began. */
export const IssueChecks = z.object({
  issue: z.number().int().positive(),
  done_when: z.array(CheckDeclaration),
  /** The open boxes of its task list. */
  tasks: z.array(z.string()).default([]),
  /** Its title and text, which say what the work is for. */
  text: z.string().optional(),
  /** Its author may add commands; the checks of others count only next to checks that do not come from the issue. */
  isTrusted: z.boolean(),
  /** What of it does not apply, and why, in one sentence each. */
  refused: z.array(z.string()).default([]),
})
export type IssueChecks = z.infer<typeof IssueChecks>

/** Where a check comes from. `derived`: Baton read it from the repository as it was before the run. */
export const CheckSource = z.enum(['workflow', 'settings', 'derived', 'issue'])
export type CheckSource = z.infer<typeof CheckSource>

const base = { name: z.string(), source: CheckSource, where: z.string() }

/** A check that is ready to run. */
export const Check = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('run'),
    command: z.string(),
    exit: z.number().int(),
    output: z.string().optional(),
    minutes: z.number(),
    /** Digest of what defined a derived check before the run; a changed definition proves nothing. */
    definition: z.string().optional(),
    /** The file that defines a declared command, such as package.json. */
    definedIn: z.string().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('files'),
    exist: z.array(z.string()).default([]),
    changed: z.array(z.string()).default([]),
    unchanged: z.array(z.string()).default([]),
  }),
  z.object({
    ...base,
    kind: z.literal('diff'),
    maxLines: z.number().int().optional(),
    only: z.array(z.string()).default([]),
    keepsTests: z.boolean().optional(),
  }),
  z.object({
    ...base,
    kind: z.literal('forge'),
    minutes: z.number(),
    checks: z.boolean().default(true),
    review: z.boolean().default(false),
  }),
  z.object({
    ...base,
    kind: z.literal('review'),
    rubric: z.string(),
    agent: z.string().optional(),
    model: z.string().optional(),
    minutes: z.number(),
  }),
  /** An open box in the task list of the issue, which a fresh session of an agent decides. */
  z.object({ ...base, kind: z.literal('task'), task: z.string(), minutes: z.number() }),
  z.object({ ...base, kind: z.literal('person'), question: z.string(), minutes: z.number() }),
])
export type Check = z.infer<typeof Check>

/** The checks of a repository, and the command that prepares a clean checkout for them. */
export const CheckList = z.object({
  checks: z.array(Check),
  setup: z.string().optional(),
  /** The commit that is proven, and the one before the run, from which checks are derived. */
  commit: z.string(),
  base: z.string(),
  /** What a person should know about a check before it runs. */
  notes: z.array(z.object({ check: z.string(), note: z.string() })).optional(),
})
export type CheckList = z.infer<typeof CheckList>

/**
 * How one check ended. `flaky`: it failed and then passed on the same commit. `changed`: it passed, but the run changed what
 * the check does. `not-run`: it could not run, for example without a sandbox.
 */
export const CheckStatus = z.enum(['passed', 'failed', 'flaky', 'changed', 'timed-out', 'not-run'])
export type CheckStatus = z.infer<typeof CheckStatus>

export const CheckResult = z.object({
  name: z.string(),
  status: CheckStatus,
  /** Why it did not pass, in one sentence. */
  why: z.string().optional(),
  /** What a person who looks at the result should know, such as the agent's reason for fewer tests. */
  note: z.string().optional(),
  /** Where the forge shows it. */
  url: z.string().optional(),
  seconds: z.number().nonnegative(),
  /** The parts of the output that matter, without secrets. */
  output: z.string().optional(),
  exit: z.number().int().optional(),
  /** The result of an earlier proof of the same commit. */
  cached: z.boolean().optional(),
})
export type CheckResult = z.infer<typeof CheckResult>

export const ProofId = z.string().regex(/^prf_[0-9a-z]{16,26}$/)

/** The record of the checks of one commit. */
export const Proof = z.object({
  version: z.literal(1),
  id: ProofId,
  project: z.string(),
  session: SessionId.optional(),
  commit: z.string(),
  base: z.string(),
  checks: z.array(Check),
  setup: z.string().optional(),
  /** What the issue of the work asks for, as it was when the work began. */
  issue: z.object({ number: z.number().int().positive(), text: z.string() }).optional(),
  /** Use no result of an earlier proof. */
  again: z.boolean().optional(),
  /** The pull request is opened during the proof, once all checks before those of the forge have passed. */
  opensPullRequest: z.boolean().optional(),
  /** What the forge decides later, because the commit is not there yet. */
  later: z.object({ checks: z.boolean(), review: z.boolean() }).optional(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  /** What runs now. */
  running: z.string().optional(),
  setupResult: CheckResult.optional(),
  results: z.array(CheckResult).default([]),
  verdict: z.enum(['proven', 'unproven']).optional(),
  /** Why it is unproven. */
  why: z.string().optional(),
  /** What the agent reported although the evidence contradicts it, in one sentence each. */
  contradictions: z.array(z.string()).optional(),
})
export type Proof = z.infer<typeof Proof>

export const ProofList = z.object({ proofs: z.array(Proof) })

export const ProofRequest = z.object({
  project: z.string().min(1).max(4096),
  commit: line(200).optional(),
  base: line(200).optional(),
  again: z.boolean().optional(),
})
export type ProofRequest = z.infer<typeof ProofRequest>

/** Why a run that a person took as it is counts as done. */
export const Accepted = z.object({ accepted: z.string() })

/** A journal entry about a proof. */
export const ProofEntry = z.object({
  kind: z.literal('proof'),
  what: z.enum(['started', 'ended', 'cancelled', 'restarted']),
  proof: z.string(),
  commit: z.string(),
  verdict: z.enum(['proven', 'unproven']).optional(),
  why: z.string().optional(),
  checks: z.array(z.object({ name: z.string(), status: CheckStatus, seconds: z.number() })).optional(),
})
export type ProofEntry = z.infer<typeof ProofEntry>
