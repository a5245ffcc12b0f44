import type { EventOf } from '@batonpass/contract/event'
import type { PermissionJudgement, PermissionStep } from '@batonpass/contract/permission'
import type { ReactionContext } from '../ports/reactor.ts'
import {
  type ContainmentPlace,
  type ContainmentPorts,
  hiddenInside,
  isOwnRule,
  NOT_UNDOABLE,
  overwrites,
  releasesOf,
} from './containment.ts'
import { type CallContext, dialogFollows, type Snapshotted } from './links.ts'
import type { Decided } from './record.ts'
import type { SandboxLink } from './sandbox-link.ts'

/** A command that may run inside. */
export interface InsideCommand<C extends CallContext = ReactionContext> {
  event: EventOf<'ToolRequested'>
  context: C
  judgement: PermissionJudgement
  place: ContainmentPlace
}

export interface InsideOptions {
  snapshot: (() => Promise<Snapshotted>) | undefined
  /** What the links after the rules make of a part that leaves the sandbox. */
  decideRelease(part: PermissionStep): Promise<Decided>
  /** What they make of a question about a command that runs inside after the yes; `afterYes` says so to the person who is asked. */
  decideQuestion(question: Pick<PermissionStep, 'decision' | 'reason'>, afterYes: string): Promise<Decided>
}

/** Why a person is asked about a command that then runs inside. */
export interface Question {
  /** `undecided`: a model may answer it. */
  decision: 'ask' | 'undecided'
  reason: string
}

/**
 * Asks what has to be asked about a command, takes its snapshot and replaces it by one that runs in the sandbox. `leaves`: its
 * text decides. `unprepared`: why the sandbox is not ready for it.
 */
export async function prepareInside<C extends CallContext>(
  command: InsideCommand<C>,
  asked: readonly Question[],
  isProven: boolean,
  { snapshot, decideRelease, decideQuestion }: InsideOptions,
  link: SandboxLink<C>,
): Promise<Decided | 'leaves' | { unprepared: string }> {
  const { event, context, judgement, place } = command
  // A person who is asked about the whole command sees what of it leaves.
  const { steps: leaving, actions, ruled } = releasesOf(judgement)
  const released = leaving[0] && place.broker === 'dialog' ? await decideRelease(leaving[0]) : undefined
  if (released?.decision === 'deny') return released
  const prepare = (answer: Decided | undefined) => {
    const isAsked = [released, answer].some(each => each?.decision === 'ask')
    const isReleased = released
      ? /^(ask|allow)$/.test(released.decision)
      : isPersons(answer) || (dialogFollows(event, context) && answer?.decision === 'ask')
    const release = { actions: [...ruled, ...(isReleased ? actions : [])], isGranted: !isAsked }
    return link.prepare(event, context, isAsked || release.actions.length > 0 ? release : undefined)
  }
  // At the same time: both wait for the disk.
  const [early, taken] = await Promise.all([
    asked.length === 0 ? prepare(undefined) : undefined,
    snapshotFor(command, snapshot),
  ])
  if (early?.ok === false) return { unprepared: early.reason }
  const isUnproven = !isProven && taken !== undefined && 'noUndo' in taken
  const questions: readonly Question[] = losesFiles(command, taken, link.ports)
    ? [...asked, { decision: 'undecided', reason: NOT_UNDOABLE }]
    : asked
  if (early && (isUnproven || questions.length > 0)) await link.discard(event.session, early.id)
  if (isUnproven) return FIRST_TRY
  const answer = questions.length > 0 ? await askFor(questions, command, leaving, decideQuestion) : undefined
  if (answer === 'leaves') return answer
  if (answer && !answer.rewritten) return answer.decided
  const prepared = answer || !early ? await prepare(answer?.decided) : early
  if (!prepared.ok) return { unprepared: prepared.reason }
  const [hidden] = hiddenInside(judgement, place, link.ports)
  const input = typeof event.input === 'object' ? { ...event.input } : {}
  return {
    ...insideAs(
      released,
      answer?.decided,
      afterYes(released?.decision === 'defer' ? [] : leaving, judgement),
      taken,
    ),
    ...taken,
    rewrite: { input: { ...input, command: prepared.text } },
    ...(hidden ? { context: hiddenHint(hidden) } : {}),
  }
}

/** Asks about a command that runs inside after the yes; `rewritten`: it is to be prepared. */
async function askFor<C extends CallContext>(
  questions: readonly Question[],
  { event, context, judgement }: InsideCommand<C>,
  leaving: readonly PermissionStep[],
  decideQuestion: InsideOptions['decideQuestion'],
): Promise<{ decided: Decided; rewritten: boolean } | 'leaves'> {
  const showsDialog = dialogFollows(event, context)
  const decision = questions.some(question => question.decision === 'ask') ? 'ask' : 'undecided'
  const reason = questions.map(question => question.reason).join('. ')
  const decided = await decideQuestion({ decision, reason }, afterYes(leaving, judgement))
  const { decision: answer } = decided
  if (answer === 'allow' || answer === 'deny') return { decided, rewritten: answer === 'allow' }
  const mode = event.mode ?? context.session.mode
  // That mode runs everything, and inside is the safer place.
  if (answer === 'defer' && mode === 'bypass')
    return { decided: { ...decided, decision: 'allow' }, rewritten: true }
  if (answer === 'ask') return { decided, rewritten: showsDialog }
  const asksItself = mode === undefined || mode === 'default' || mode === 'accept-edits'
  return showsDialog && asksItself ? { decided: { ...decided, decision: 'ask' }, rewritten: true } : 'leaves'
}

const isPersons = (answer: Decided | undefined): boolean =>
  answer?.decision === 'allow' && /^(person|session)$/.test(answer.by)

/** Baton's own rules allow only what it can read. A person's rule may allow anything. */
export const snapshotFor = async (
  { judgement: { decision, trail } }: Pick<InsideCommand, 'judgement'>,
  snapshot: InsideOptions['snapshot'],
): Promise<Snapshotted | undefined> =>
  decision !== 'allow' || trail.some(isOwnRule) ? await snapshot?.() : undefined

/** Whether it deletes or overwrites files of which there is no snapshot. */
export const losesFiles = (
  { judgement, place }: Pick<InsideCommand, 'judgement' | 'place'>,
  taken: Snapshotted | undefined,
  ports: ContainmentPorts,
): boolean => !(taken && ('undo' in taken || taken.isKept)) && overwrites(judgement, place.worktree, ports)

/** What is decided about a command that was prepared. */
function insideAs(
  released: Decided | undefined,
  answer: Decided | undefined,
  afterYes: string,
  taken: Snapshotted | undefined,
): Decided {
  const inside = insideWords('the sandbox', taken)
  if (answer?.decision === 'ask' || released?.decision === 'ask') {
    const reasons = [answer, released].flatMap(each => (each?.decision === 'ask' ? [each.reason] : []))
    return {
      decision: 'ask',
      reason: [...new Set([...reasons, afterYes])].join('. '),
      by: (answer ?? released)?.by ?? 'nobody',
    }
  }
  if (!answer) return { decision: 'allow', reason: inside, by: 'sandbox' }
  return { ...answer, decision: 'allow', reason: `${answer.reason}; ${inside}` }
}

/** What a yes means, for a person: it is for these parts, and the rest cannot leave. */
function afterYes(leaving: readonly PermissionStep[], { trail }: Pick<PermissionJudgement, 'trail'>): string {
  if (leaving.length === 0) return 'After a yes it runs in the sandbox'
  if (trail.every(step => leaving.includes(step))) return 'A yes lets it leave the sandbox, once'
  const parts = [...new Set(leaving.map(({ part }) => part))]
  return `A yes lets this leave the sandbox, once: ${parts.join('; ')}. The rest runs inside`
}

export const insideWords = (where: string, taken: Snapshotted | undefined): string =>
  taken && 'undo' in taken
    ? `runs in ${where}; \`baton undo ${taken.undo}\` takes back what it changes in the project`
    : `runs in ${where}`

/** For the model. Any command that is allowed by its text will do. */
export const FIRST_TRY: Decided = {
  decision: 'deny',
  reason:
    'Baton has to see once that this version of the agent runs its commands in the sandbox. Run `true` with the same options, then this command again',
  by: 'sandbox',
}

const hiddenHint = (path: string): string =>
  `${path} is not visible to commands: they run in Baton's sandbox. Read it with your file tools, or ask the user: \`baton request path ${path}\`.`
