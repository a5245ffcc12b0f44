import { z } from 'zod'
import { AskId, EventId } from './ids.ts'
import { PatternError } from './pattern/error.ts'
import { compilePattern } from './pattern.ts'

/** A permission answer. `undecided` means that no rule matched, so the next step of the chain decides. */
export const PermissionDecision = z.enum(['allow', 'deny', 'ask', 'undecided'])
export type PermissionDecision = z.infer<typeof PermissionDecision>

export const PermissionPreset = z.enum(['cautious', 'standard', 'trusting'])
export type PermissionPreset = z.infer<typeof PermissionPreset>

const Words = z.string().min(1).max(500)
const OneOrMore = z.union([Words, z.array(Words).min(1).max(200)])

/** What a rule applies to. Every given field must match; a list matches when one of its items does. */
export const RuleMatch = z.strictObject({
  /** Bash, Read, Write, Edit, WebFetch …; `*` for any. Bash when a program is named. */
  tool: OneOrMore.optional(),
  /** Program name, or the path of a program outside the system folders. */
  program: OneOrMore.optional(),
  /** Leading sub-command words, such as `push` or `compute instances list`. */
  subcommand: OneOrMore.optional(),
  /** Flags that must all be present; a value after `=` must match exactly. */
  flags: OneOrMore.optional(),
  /** Flags of which none may be present. */
  without: OneOrMore.optional(),
  /** File patterns, relative to the worktree: `*` within a name, `**` across folders, `~` for the home folder. */
  paths: OneOrMore.optional(),
  /** Host names; `*.example.com` matches every subdomain. */
  hosts: OneOrMore.optional(),
  /** `server` or `server/tool`, with `*`. */
  mcp: OneOrMore.optional(),
})
export type RuleMatch = z.infer<typeof RuleMatch>

/** A regular expression that can be matched in linear time. Others, such as those with lookahead, are refused. */
const RulePattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((source, context) => {
    try {
      compilePattern(source)
    } catch (cause) {
      const problem = cause instanceof PatternError ? cause.problem : 'cannot be parsed'
      context.addIssue({ code: 'custom', message: `the pattern ${problem}` })
    }
  })

/** A regular expression for a Bash command, or for the subject of another tool. */
export const PatternRule = z.strictObject({
  pattern: RulePattern,
  tool: z.string().min(1).optional(),
})
export type PatternRule = z.infer<typeof PatternRule>

/** One command, word for word: with no other argument, no variable, no pattern and no input from a pipe or a file. */
export const CommandRuleMatch = z.strictObject({
  command: z.string().min(1).max(500),
  /** The folder it runs in, relative to the worktree: not one below it. Without it, any folder. */
  folder: z.string().min(1).max(1000).optional(),
})
export type CommandRuleMatch = z.infer<typeof CommandRuleMatch>

const RuleRest = {
  reason: z.string().max(500).optional(),
  /** Of an allow: the command runs outside the sandbox. Without it, it runs inside if it can work there. */
  outside: z.boolean().optional(),
}

/** One item of `permissions.allow`, `permissions.deny` or `permissions.ask`. A plain string is a pattern for Bash. */
export const PermissionRule = z.union([
  RulePattern,
  PatternRule.extend(RuleRest),
  CommandRuleMatch.extend(RuleRest),
  RuleMatch.extend(RuleRest)
    .refine(rule => Object.keys(rule).some(key => !(key in RuleRest)), {
      message: 'a rule must name at least a tool, a program, a path or a host',
    })
    .meta({ minProperties: 1 }),
])
export type PermissionRule = z.infer<typeof PermissionRule>

/** One step towards a decision: which rule decided which part. */
export const PermissionStep = z.object({
  rule: z.string(),
  decision: PermissionDecision,
  part: z.string(),
  reason: z.string(),
  /** The rule names one command word for word, as "always allow" remembers it. */
  exact: z.literal(true).optional(),
  /** The rule of a person that allows it says `outside: true`. */
  outside: z.literal(true).optional(),
  /** The position of the part among the commands that were found in the text. Two parts can have the same text. */
  at: z.number().int().nonnegative().optional(),
  /** It asks only about secrets that commands in the sandbox cannot see. */
  hiddenInside: z.literal(true).optional(),
})
export type PermissionStep = z.infer<typeof PermissionStep>

/** A word of a command that leaves the sandbox; of one that is only known when it runs, the part that is known. */
export const ExpectedWord = z.union([z.string(), z.object({ start: z.string() })])
export type ExpectedWord = z.infer<typeof ExpectedWord>

/** A command that the broker is to do outside, as far as it is known before it runs. */
export const ReleasedAction = z.object({
  words: z.array(ExpectedWord),
  folders: z.array(z.string()),
  /** A rule of the user allows it, so no person has to see it. */
  byRule: z.literal(true).optional(),
})
export type ReleasedAction = z.infer<typeof ReleasedAction>

/** Who allowed what leaves the sandbox, before its command ran: a person, or a rule of theirs. */
export type ReleasedBy = 'person' | 'rule'

/** A part of a command for which the broker does outside what it needs. */
export const BrokeredPart = ReleasedAction.extend({
  /** As in `PermissionStep`. */
  at: z.number().int().nonnegative(),
  part: z.string(),
  /** A grant covers it: the broker will let it pass. */
  granted: z.literal(true).optional(),
})
export type BrokeredPart = z.infer<typeof BrokeredPart>

export const PermissionEffects = z.object({
  reads: z.array(z.string()),
  writes: z.array(z.string()),
  hosts: z.array(z.string()),
  /** The call sends data to the network or receives data from it. */
  network: z.boolean(),
  /** Runs programs that Baton did not inspect, or changes processes or settings of the machine. */
  outside: z.boolean(),
  /** Parts that are only known when the command runs. */
  unknown: z.array(z.string()),
  /** Why the call cannot work in the sandbox: what it needs from outside. */
  leaves: z.array(z.string()).optional(),
  /** Parts that Baton's own rules allow although the project's files decide what they run: not outside the sandbox. */
  ofProject: z.array(z.string()).optional(),
  /** Folders outside the project in which it works: it works in the sandbox where commands may read all of them. */
  folders: z.array(z.string()).optional(),
  /** Servers that the call contacts: it works in the sandbox where commands may contact all of them. */
  contacts: z.array(z.string()).optional(),
  /** What downloads packages: it works in the sandbox where registries answer there. */
  installs: z.array(z.string()).optional(),
  /**
   * Parts for which the broker does outside what they need, in the words it will get, each with the folders it may run in (none
   * if that is unknown). The rest of them runs inside.
   */
  brokered: z.array(BrokeredPart).optional(),
  /** Commands that write files their arguments do not name: for git the subcommand and arguments, otherwise the program. */
  brings: z.array(z.array(z.string())).optional(),
})
export type PermissionEffects = z.infer<typeof PermissionEffects>

export const PermissionJudgement = z.object({
  decision: PermissionDecision,
  reason: z.string(),
  trail: z.array(PermissionStep),
  effects: PermissionEffects,
  /** Every effect stays inside the worktree, so a snapshot can undo it. */
  reversible: z.boolean(),
  /** No rule and no workflow may override this decision. */
  final: z.boolean(),
  /** Baton knows what every part does: nothing depends on the run itself, and no part runs code that Baton did not read. */
  understood: z.boolean(),
})
export type PermissionJudgement = z.infer<typeof PermissionJudgement>

/** What decided, in the order of the chain. */
export const DecidedBy = z.enum(['rules', 'session', 'sandbox', 'undo', 'model', 'person', 'nobody', 'error'])
export type DecidedBy = z.infer<typeof DecidedBy>

/**
 * A journal entry about a permission answer. The decision's id follows the entry's: `ent_x` holds decision `dec_x`.
 * `defer` leaves the call to the agent's own permission mode.
 */
export const DecisionEntry = z.object({
  kind: z.literal('decision'),
  event: EventId,
  tool: z.string(),
  /** The command, path or name that was judged. */
  subject: z.string(),
  decision: z.enum(['allow', 'deny', 'ask', 'defer']),
  reason: z.string(),
  by: DecidedBy,
  trail: z.array(PermissionStep),
  /** The snapshot that undoes the call. */
  undo: z.string().optional(),
  /** Why no snapshot undoes the call, if Baton wanted one. */
  noUndo: z.string().optional(),
  /** How long the call waited for its snapshot. */
  snapshotMs: z.number().nonnegative().optional(),
  ask: AskId.optional(),
  /** A person said yes in the agent's own dialog. */
  inDialog: z.boolean().optional(),
  /** The question about the call already has an entry of its own: this is the dialog that followed, or the answer in it. */
  again: z.boolean().optional(),
  tookMs: z.number().nonnegative(),
})
export type DecisionEntry = z.infer<typeof DecisionEntry>

/** The permission model's answer to a request that no rule decided. */
export const ModelVerdict = z.object({
  decision: z.enum(['allow', 'deny', 'ask']),
  reason: z.string(),
  model: z.string(),
  ms: z.number().nonnegative(),
  /** The answer came from the cache, so no model call was made. */
  cached: z.boolean(),
})
export type ModelVerdict = z.infer<typeof ModelVerdict>
