import { z } from 'zod'
import { AskId, EventId } from './ids.ts'
import { PatternError } from './pattern/error.ts'
import { compilePattern } from './pattern.ts'

/** A permission answer. `undecided` means that no rule spoke: the chain goes on. */
export const PermissionDecision = z.enum(['allow', 'deny', 'ask', 'undecided'])
export type PermissionDecision = z.infer<typeof PermissionDecision>

export const PermissionPreset = z.enum(['cautious', 'standard', 'trusting'])
export type PermissionPreset = z.infer<typeof PermissionPreset>

const Words = z.string().min(1).max(500)
const OneOrMore = z.union([Words, z.array(Words).min(1).max(200)])

/** What a rule speaks of. Every field given must fit; a list fits when one of its entries does. */
export const RuleMatch = z.strictObject({
  /** Bash, Read, Write, Edit, WebFetch …; `*` for any. Bash when a program is named. */
  tool: OneOrMore.optional(),
  /** Program name, or a path for a program outside the system folders. */
  program: OneOrMore.optional(),
  /** Leading sub-command words, such as `push` or `compute instances list`. */
  subcommand: OneOrMore.optional(),
  /** Flags that must all be present; a value after `=` must be equal. */
  flags: OneOrMore.optional(),
  /** Flags of which none may be present. */
  without: OneOrMore.optional(),
  /** Patterns of files; `*` within a name, `**` across folders, `~` for home, relative to the worktree. */
  paths: OneOrMore.optional(),
  /** Host names; `*.example.com` for every name under one. */
  hosts: OneOrMore.optional(),
  /** `server` or `server/tool`, with `*`. */
  mcp: OneOrMore.optional(),
})
export type RuleMatch = z.infer<typeof RuleMatch>

/** A regular expression that is matched in time linear in the text: what cannot be, such as looking ahead, is refused. */
const RulePattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((source, context) => {
    try {
      compilePattern(source)
    } catch (cause) {
      const problem = cause instanceof PatternError ? cause.problem : 'cannot be read'
      context.addIssue({ code: 'custom', message: `the pattern ${problem}` })
    }
  })

/** The seed's form: a regular expression on a Bash command, or on what another tool is about. */
export const PatternRule = z.strictObject({
  pattern: RulePattern,
  tool: z.string().min(1).optional(),
})
export type PatternRule = z.infer<typeof PatternRule>

/** One entry of `permissions.allow`, `permissions.deny` or `permissions.ask`. A bare text is a pattern for Bash. */
export const PermissionRule = z.union([
  RulePattern,
  PatternRule.extend({ reason: z.string().max(500).optional() }),
  RuleMatch.extend({ reason: z.string().max(500).optional() })
    .refine(rule => Object.keys(rule).some(key => key !== 'reason'), {
      message: 'a rule names at least a tool, a program, a path or a host',
    })
    .meta({ minProperties: 1 }),
])
export type PermissionRule = z.infer<typeof PermissionRule>

/** One step of the way to a decision: which rule spoke about which part. */
export const PermissionStep = z.object({
  rule: z.string(),
  decision: PermissionDecision,
  part: z.string(),
  reason: z.string(),
})
export type PermissionStep = z.infer<typeof PermissionStep>

export const PermissionEffects = z.object({
  reads: z.array(z.string()),
  writes: z.array(z.string()),
  hosts: z.array(z.string()),
  /** Something leaves the machine or may come in. */
  network: z.boolean(),
  /** Programs whose doing was not looked into, or processes and settings of the machine. */
  outside: z.boolean(),
  /** What cannot be known before it runs. */
  unknown: z.array(z.string()),
  /** Commands that write files which their words do not name: for git its sub-command and words, else the program. */
  brings: z.array(z.array(z.string())).optional(),
})
export type PermissionEffects = z.infer<typeof PermissionEffects>

export const PermissionJudgement = z.object({
  decision: PermissionDecision,
  reason: z.string(),
  trail: z.array(PermissionStep),
  effects: PermissionEffects,
  /** Every effect stays inside the worktree, so that a snapshot can take it back. */
  reversible: z.boolean(),
  /** No rule and no workflow may lift this decision. */
  final: z.boolean(),
  /** Baton knows what every part does: nothing is only known when it runs, and no part runs code that Baton did not read. */
  understood: z.boolean(),
})
export type PermissionJudgement = z.infer<typeof PermissionJudgement>

/** Who gave the answer, in the order of the chain. */
export const DecidedBy = z.enum(['rules', 'session', 'undo', 'model', 'person', 'nobody', 'error'])
export type DecidedBy = z.infer<typeof DecidedBy>

/**
 * What the journal says about a permission answer. It is named after its entry: `ent_x` holds decision `dec_x`.
 * `defer` leaves it to the agent's own permission mode.
 */
export const DecisionEntry = z.object({
  kind: z.literal('decision'),
  event: EventId,
  tool: z.string(),
  /** The command, the path or the name that was judged. */
  subject: z.string(),
  decision: z.enum(['allow', 'deny', 'ask', 'defer']),
  reason: z.string(),
  by: DecidedBy,
  trail: z.array(PermissionStep),
  /** The snapshot that takes it back. */
  undo: z.string().optional(),
  ask: AskId.optional(),
  tookMs: z.number().nonnegative(),
})
export type DecisionEntry = z.infer<typeof DecisionEntry>

/** What came of asking a model about a request that nothing had decided. */
export const ModelVerdict = z.object({
  decision: z.enum(['allow', 'deny', 'ask']),
  reason: z.string(),
  model: z.string(),
  ms: z.number().nonnegative(),
  /** The answer to the very same question was at hand: no call was made for this one. */
  cached: z.boolean(),
})
export type ModelVerdict = z.infer<typeof ModelVerdict>
