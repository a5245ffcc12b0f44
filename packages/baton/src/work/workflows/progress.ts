import { z } from 'zod'
import { digest, type Evidence } from './evidence.ts'
import type { Workflow } from './workflow.ts'

/** What earlier stops have shown, to detect an agent that runs in circles. */
export const Course = z.object({
  /** Earlier states of the worktree. */
  trees: z.array(z.string()).default([]),
  head: z.string().optional(),
  calls: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  marks: z.array(z.string()).default([]),
  test: z
    .object({ passed: z.boolean(), failing: z.number().int().optional(), signature: z.string() })
    .optional(),
  todo: z.number().int().default(0),
  milestones: z.number().int().default(0),
  /** Consecutive stops with nothing but reading. */
  looking: z.number().int().default(0),
  /** Consecutive stops at which the tests failed in the same way. */
  sameFailure: z.number().int().default(0),
  /** Consecutive stops without progress. */
  stuck: z.number().int().default(0),
})
export type Course = z.infer<typeof Course>

/** The worktree at a stop. */
export interface WorktreeState {
  head: string
  /** Digest of all uncommitted changes. */
  tree: string
  branch?: string | undefined
}

export interface Judged {
  progress: boolean
  /** Why it counts as progress, or what is stuck: completes "No progress: …". */
  why: string
  course: Course
}

const MAX_ITEMS = 1000
/** After this many identical failures, a new file no longer counts as progress. */
const MAX_SAME_FAILURES = 4
/** How many consecutive stops may pass with nothing but reading. */
const MAX_READING_STOPS = { building: 3, thinking: 8 } as const

/** Decides whether the work progressed between two stops. */
export function judgeProgress(
  course: Course,
  evidence: Evidence,
  facts: { worktree: WorktreeState | undefined; milestones: number; nature: Workflow['nature'] },
): Judged {
  const { worktree, nature } = facts
  const tree = worktree ? digest(`${worktree.head}\0${worktree.tree}`) : undefined
  const headMoved = worktree !== undefined && course.head !== undefined && worktree.head !== course.head
  const known = tree !== undefined && course.trees.includes(tree)
  // Without git, new edits count as changes.
  const treeNew =
    tree === undefined ? fresh(evidence.edits, course.calls).length > 0 : !known && course.trees.length > 0
  const newFiles = fresh(evidence.written, course.files).length > 0
  const { test } = evidence
  const sameFailure =
    test && !test.passed && course.test?.signature === test.signature ? course.sameFailure + 1 : 0
  const newTodo = (evidence.todo ?? 0) > course.todo
  const newMilestone = facts.milestones > course.milestones
  const newMarks = fresh(evidence.marks, course.marks)
  const newCalls = fresh([...evidence.acts, ...evidence.looks], course.calls)
  const first = course.trees.length === 0 && course.calls.length === 0
  // The same failure again with the same files: activity without progress.
  const spinning = sameFailure > 0 && (!newFiles || sameFailure >= MAX_SAME_FAILURES)

  const looked = newCalls.length > 0 && course.looking < MAX_READING_STOPS[nature] && !spinning
  const reasons = [
    newMarks.length > 0 && `new on the forge: ${newMarks.map(mark => mark.split(' ')[0]).join(', ')}`,
    newTodo && 'more todos are done',
    newMilestone && 'a milestone of the plan is done',
    test && betterThan(test, course.test) && (test.passed ? 'the tests pass' : 'the tests got further'),
    !spinning && headMoved && !known && 'there are new commits',
    !spinning && treeNew && !headMoved && 'the worktree changed',
    looked && 'it read or ran something new',
    first && evidence.tools > evidence.failed && 'it started to work',
  ].filter(reason => typeof reason === 'string')
  const progress = reasons.length > 0
  const material = progress && reasons.some(reason => reason !== 'it read or ran something new')

  return {
    progress,
    why: progress
      ? reasons.join('; ')
      : whatIsStuck({ evidence, sameFailure, known, headMoved, course, newCalls }),
    course: {
      trees: tree === undefined ? course.trees : more(course.trees, tree),
      ...(worktree ? { head: worktree.head } : course.head === undefined ? {} : { head: course.head }),
      calls: more(
        course.calls,
        ...evidence.acts,
        ...evidence.looks,
        ...(tree === undefined ? evidence.edits : []),
      ),
      files: more(course.files, ...evidence.written),
      marks: more(course.marks, ...evidence.marks),
      ...(test
        ? {
            test: {
              passed: test.passed,
              signature: test.signature,
              ...(test.failing === undefined ? {} : { failing: test.failing }),
            },
          }
        : course.test
          ? { test: course.test }
          : {}),
      todo: Math.max(course.todo, evidence.todo ?? 0),
      milestones: Math.max(course.milestones, facts.milestones),
      looking: material || !progress ? (material ? 0 : course.looking) : course.looking + 1,
      sameFailure: test ? sameFailure : course.sameFailure,
      stuck: progress ? 0 : course.stuck + 1,
    },
  }
}

function betterThan(now: NonNullable<Evidence['test']>, before: Course['test']): boolean {
  if (!before) return now.passed
  if (now.passed) return !before.passed
  if (before.passed) return false
  return now.failing !== undefined && before.failing !== undefined && now.failing < before.failing
}

function whatIsStuck(facts: {
  evidence: Evidence
  sameFailure: number
  known: boolean
  headMoved: boolean
  course: Course
  newCalls: string[]
}): string {
  const { evidence, sameFailure, newCalls } = facts
  if (evidence.tools === 0 && evidence.asked > 0)
    return `every tool call was refused; the last one was ${evidence.last ?? 'unknown'}`
  if (evidence.tools === 0) return 'no tool call and no file change'
  if (sameFailure > 0 && evidence.test)
    return `the tests (${evidence.test.command}) fail in exactly the same way as before${evidence.test.failing ? `, ${evidence.test.failing} failing` : ''}`
  if (evidence.failed === evidence.tools)
    return `every tool call failed; the last one was ${evidence.last ?? 'unknown'}`
  if (facts.headMoved || evidence.edits.length > 0)
    return 'the edits only restored an earlier state of the files'
  if (newCalls.length > 0)
    return 'several turns with nothing but reading, and no file, test or todo has changed'
  return `only repeated calls (${evidence.last ?? 'the same as before'}), and no file, test or todo has changed`
}

const fresh = (items: readonly string[], known: readonly string[]): string[] => {
  const set = new Set(known)
  return items.filter(item => !set.has(item))
}
const more = (list: readonly string[], ...items: string[]): string[] =>
  [...new Set([...list, ...items])].slice(-MAX_ITEMS)
