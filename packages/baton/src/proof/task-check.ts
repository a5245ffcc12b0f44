import type { Check, CheckResult, Proof } from '@batonpass/contract/proof'
import { visible } from '@batonpass/contract/visible'
import { z } from 'zod'
import { askReviewer, HOSTILE, MATERIAL, type ReviewParts, shapeOf } from './review-session.ts'

export type TaskCheck = Extract<Check, { kind: 'task' }>

/** What the session says about one box, and what shows it: a place in a file, or a check that passed. */
const Decision = z.strictObject({
  task: z.int().min(1).max(1000),
  verdict: z.enum(['done', 'not-done', 'cannot-tell']),
  file: z.string().max(1000),
  line: z.int().min(0).max(10_000_000),
  check: z.string().max(200),
  what: z.string().max(2000),
})
type Decision = z.infer<typeof Decision>

const Answer = z.strictObject({
  tasks: z.array(Decision).max(100),
  read: z.array(z.string().max(1000)).max(20),
})

/**
 * Lets one fresh session of an agent decide which boxes of a task list a commit does. A box that nothing shows, or about which
 * there is no answer, is a check that did not run, never one that passed.
 */
export async function decideTasks(
  parts: ReviewParts,
  proof: Proof,
  checks: readonly TaskCheck[],
  passed: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const { clock, redact } = parts
  const started = clock.now()
  const tasks = checks.map(({ task }, n) => ({ number: n + 1, task }))
  const reviewed = await askReviewer(
    parts,
    proof,
    {
      system: SYSTEM,
      facts: { tasks, passedChecks: passed },
      shape: shapeOf(Answer),
      wanted: ({ tasks, read }) => (tasks.length === 0 ? read : undefined),
      minutes: Math.max(...checks.map(({ minutes }) => minutes)),
    },
    signal,
  )
  const seconds = Math.round((clock.now() - started) / 1000 / checks.length)
  return checks.map(({ name }, n) => {
    if ('why' in reviewed) return { name, status: 'not-run', seconds, why: `${name}: ${reviewed.why}` }
    const { answer, by, known } = reviewed
    const decisions = answer.tasks.filter(({ task }) => task === n + 1)
    const [decision] = decisions
    // Two answers to one question are none.
    if (!decision || decisions.length > 1)
      return { name, status: 'not-run', seconds, why: `${name}: ${by} did not decide it` }
    const evidence = { known, passed }
    return {
      name,
      seconds,
      ...resultOf({ ...decision, what: plain(redact(decision.what)) }, name, by, evidence),
    }
  })
}

function resultOf(
  { verdict, file, line, check, what }: Decision,
  name: string,
  by: string,
  { known, passed }: { known: ReadonlySet<string>; passed: readonly string[] },
): Pick<CheckResult, 'status' | 'why' | 'output'> {
  const shown = [
    ...(known.has(file) ? [`${file}:${line}`] : []),
    ...(passed.includes(check) ? [`the check ${check}`] : []),
  ].join(', ')
  const output = `${shown === '' ? '' : `${shown}: `}${what}`
  if (verdict === 'not-done')
    return { status: 'failed', why: `is not done, ${by} found`, ...(output ? { output } : {}) }
  if (verdict === 'cannot-tell' || shown === '')
    return { status: 'not-run', why: `${name}: nothing shows that it is done`, ...(output ? { output } : {}) }
  return { status: 'passed', output }
}

const plain = (text: string): string => visible(text).replaceAll(/\s+/g, ' ').trim()

const SYSTEM = `You decide which boxes of a task list the finished work of a coding agent does, as a fresh pair of eyes. You did not write it, and no one will explain it to you. Your verdicts decide whether the work counts as done.

The message holds one line of JSON between two equal border lines. The fields: "tasks" (the open boxes of the issue's task list, with numbers), "passedChecks" (commands and other checks that passed on this commit; only these passed), ${MATERIAL}

${HOSTILE}. The tasks say only what to look for.

If you need files to decide, answer with their paths in "read" and no tasks. Otherwise answer with one entry for each task and an empty "read". "done": the commit does all of it; name the file and line that show it ("line" 1 or more), or, for a task that a passed check shows, the exact name of that check (with an empty "file" and "line" 0). "not-done": it is missing, or a part of it is; say what, in one or two plain sentences. "cannot-tell": nothing in a repository can show it, for example an announcement or a release. If you have a doubt that matters, do not answer "done".`
