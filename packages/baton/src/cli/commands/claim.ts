import {
  type Claimable,
  ClaimableList,
  Claimed,
  type ClaimHolder,
  type ClaimRequest,
  ClaimView,
} from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { systemGit } from '../../adapters/git/git.ts'
import { isStranger } from '../../adapters/git/network.ts'
import { gitPush, pushInside } from '../../adapters/git/push.ts'
import { gitWork } from '../../adapters/git/work.ts'
import { systemFiles } from '../../adapters/system/files.ts'
import { systemPrograms } from '../../adapters/system/programs.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { FencedActions } from '../../claim/fenced-actions.ts'
import { makeReady } from '../../claim/make-ready.ts'
import { confirmed } from '../../claim/next-step.ts'
import { readRecords } from '../../claim/record.ts'
import { SignalFiles } from '../../claim/signal-file.ts'
import { loadConfig } from '../../config/load.ts'
import { stateDir } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { claimLine } from '../claim-lines.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { type Column, fitList } from '../fit-table.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** Several calls to the forge and git's network in between. */
const CLAIM_MS = 120_000
const VALIDATE_MS = 30 * 60_000

/** Takes an issue for this worktree, hands its branch off, or gives it back. */
export const claim: Handler = async (given, io) => {
  const [what, which] = given.positionals
  const project = findWorktreeRoot(io.cwd)
  if (flag(given, 'list')) return list(given, io, project)
  switch (what) {
    case undefined:
      throw new BatonError(
        'usage',
        'ISSUE is missing: a number, next, ready, done, release, takeover, list or board',
        {
          remedy: 'See `baton claim --help`.',
        },
      )
    case 'ready':
      return ready(given, io, project)
    case 'done':
      return done(given, io, project)
    case 'release':
      return release(given, io, project, which === undefined ? undefined : numberIn(which))
    case 'takeover':
      return take(given, io, {
        project,
        issue: numberIn(which ?? ''),
        takeover: flag(given, 'force') ? 'force' : 'dead',
      })
    default:
      return take(given, io, { project, issue: what === 'next' ? 'next' : numberIn(what) })
  }
}

async function take(
  given: Given,
  io: Io,
  order: Pick<ClaimRequest, 'project' | 'issue' | 'takeover'>,
): Promise<number> {
  const session = io.env.CLAUDE_CODE_SESSION_ID || io.env.CODEX_THREAD_ID
  const body: ClaimRequest = {
    ...order,
    worktree: flag(given, 'worktree'),
    anyway: flag(given, 'anyway'),
    ...(session ? { session } : {}),
  }
  if (flag(given, 'dry-run')) {
    io.stdout.write(
      `Would claim ${order.issue === 'next' ? 'the next free issue' : `issue #${order.issue}`} for ${printable(order.project)}\n`,
    )
    return EXIT.ok
  }
  // Only a person takes a live session's claim.
  const proven = order.takeover === 'force'
  const answer = await callStartedDaemon(io, 'POST', '/api/claims', CLAIM_MS, { body, proven })
  const claimed = Claimed.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(claimed)}\n`)
  else {
    const { claim, fresh, warnings } = claimed
    io.stdout.write(`${fresh ? 'Claimed' : 'Already claimed'}: ${printable(claimLine(claim))}\n`)
    if (claim.project !== order.project) io.stdout.write(`Work in: ${printable(claim.project)}\n`)
    for (const warning of warnings) io.stdout.write(`${paint(io)('yellow', 'note')} ${printable(warning)}\n`)
    io.stdout.write(
      'When everything is committed and tested, run: baton claim ready --summary "what changes, in one line"\n',
    )
  }
  return EXIT.ok
}

async function list(given: Given, io: Io, project: string): Promise<number> {
  const path = `/api/claims/claimable?project=${encodeURIComponent(project)}`
  const { issues } = ClaimableList.parse(await callStartedDaemon(io, 'GET', path, CLAIM_MS))
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ issues })}\n`)
    return EXIT.ok
  }
  if (issues.length === 0)
    fitted(io)(
      'No issue is ready. Baton picks issues in Todo on the board or, without a board, those labelled `ready-for-agent` (`claim.label`).\nTo claim a specific one: baton claim 42\n',
    )
  else io.stdout.write(claimableLines(issues, io))
  return EXIT.ok
}

/** One line for each issue that could be claimed. */
function claimableLines(issues: readonly Claimable[], io: Io): string {
  const number: Column<Claimable> = { dropped: 0, cell: ({ issue }) => ({ text: `#${issue}` }) }
  const title: Column<Claimable> = {
    dropped: 0,
    least: 24,
    cell: ({ title }) => ({ text: printable(title) }),
  }
  const state: Column<Claimable> = {
    dropped: 0,
    least: 20,
    wraps: true,
    cell: ({ holder, free, status }) =>
      holder
        ? { text: printable(heldWords(holder)), style: holder.dead ? 'red' : 'yellow' }
        : free
          ? { text: 'free', style: 'green' }
          : { text: printable(status ?? 'not to do'), style: 'dim' },
  }
  const labelled: Column<Claimable> = {
    dropped: 1,
    least: 12,
    cell: ({ labels }) => ({
      text: labels.length > 0 ? `[${printable(labels.join(', '))}]` : '',
      style: 'dim',
    }),
  }
  const columns =
    io.columns === undefined ? [number, title, state, labelled] : [number, title, labelled, state]
  return fitList(issues, columns, io)
}

const heldWords = ({ agent, host, dead }: ClaimHolder): string =>
  `held by ${agent} on ${host}${dead ? ', no longer reporting: baton claim takeover' : ''}`

async function release(given: Given, io: Io, project: string, issue: number | undefined): Promise<number> {
  const body = { project, ...(issue === undefined ? {} : { issue }) }
  if (flag(given, 'dry-run')) {
    io.stdout.write(
      `Would release ${issue === undefined ? 'the claim of this worktree' : `issue #${issue}`}\n`,
    )
    return EXIT.ok
  }
  const view = ClaimView.parse(await callStartedDaemon(io, 'POST', '/api/claims/release', CLAIM_MS, { body }))
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify(view)}\n`
      : `Released: ${printable(claimLine(view))}\nIts branch ${printable(view.branch)} stays.\n`,
  )
  return EXIT.ok
}

async function ready(given: Given, io: Io, project: string): Promise<number> {
  const places = { project, env: io.env, home: io.home, stateDir: stateDir(io.env, io.home) }
  const { config } = await loadConfig(places, { files: systemFiles })
  const file = await makeReady(
    {
      signals: new SignalFiles(systemSmallFiles),
      git: systemGit,
      work: gitWork,
      outside: fencedActions(io, project),
      claimOf: async folder => {
        const records = await readRecords(systemSmallFiles, places.stateDir)
        return records.find(({ project, adopted }) => project === folder && !adopted)
      },
      validate: (command, cwd) => validate(io, command, cwd),
    },
    project,
    {
      summary: text(given, 'summary') ?? '',
      validate: config.claim.validate,
      dryRun: flag(given, 'dry-run'),
    },
  )
  const next =
    file.pr_number === null
      ? 'End your turn, and Baton opens the pull request.'
      : `PR #${file.pr_number} is there already; Baton follows its checks.`
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify(file)}\n`
      : flag(given, 'dry-run')
        ? `${printable(file.branch)} could be handed off for issue #${file.issue_number}.\n`
        : `${printable(file.branch)} is pushed and handed off for issue #${file.issue_number}. ${next}\n`,
  )
  return EXIT.ok
}

/** Marks the issue as done after the merge. Baton closes it only if a person agreed; otherwise it asks. */
async function done(given: Given, io: Io, project: string): Promise<number> {
  const signals = new SignalFiles(systemSmallFiles)
  const found = await signals.read(project)
  if (found.kind !== 'claim')
    throw new BatonError(
      'claim_refused',
      found.kind === 'absent' ? 'No issue is claimed in this worktree' : found.why,
      { remedy: 'See `baton claim list`.' },
    )
  const { issue_number: issue, pr_number } = found.file
  if (pr_number === null)
    throw new BatonError('claim_refused', `Issue #${issue} has no pull request yet`, {
      remedy: 'Hand its branch off first: baton claim ready',
    })
  const file = flag(given, 'dry-run') ? found.file : await signals.change(project, confirmed)
  if (!file)
    throw new BatonError('claim_refused', '.agent-claim.json keeps changing', { remedy: 'Try again.' })
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify(file)}\n`
      : flag(given, 'dry-run')
        ? `Issue #${issue} would be marked as done.\n`
        : `Issue #${issue} is marked as done. End your turn: Baton closes it once PR #${pr_number} is merged and a person agreed.\n`,
  )
  return EXIT.ok
}

/** Pushes from here, where the person's git is logged in; the daemon knows whether the claim is still held. */
function fencedActions(io: Io, project: string): FencedActions {
  const ask = (path: string) => callStartedDaemon(io, 'POST', path, CLAIM_MS, { body: { project } })
  return new FencedActions({
    checkLease: async () => void (await ask('/api/claims/check')),
    claimAt: async () => undefined,
    forgeFor: () => Promise.reject(new BatonError('internal', 'The command does not call the forge')),
    async push(folder, branch) {
      try {
        if (io.inside) await pushInside(io.inside, branch)
        else await gitPush(folder, branch)
      } catch (cause) {
        if (!isStranger(cause)) throw cause
        // With the forge's token, which the agent never sees. The daemon checks the lease again.
        await ask('/api/claims/push').catch((error: unknown) => {
          throw error instanceof BatonError && error.code === 'claim_lost' ? error : cause
        })
      }
    },
  })
}

/** The person's own words, run by their shell as they stand. What they run, the agent may have written. */
async function validate(io: Io, command: string, cwd: string): Promise<string | undefined> {
  const inside = await io.inside?.check(command)
  if (inside !== undefined) return inside === 0 ? undefined : `It ended with ${inside}.`
  const env = Object.fromEntries(
    Object.entries(io.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const call = { program: '/bin/sh', args: ['-c', command], cwd, env, input: '', withinMs: VALIDATE_MS }
  const { code, stdout, stderr } = await systemPrograms.run(call, io.signal)
  if (code === 0) return undefined
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n')
  return said || `It ended with ${code ?? 'a signal'}.`
}

function numberIn(word: string): number {
  const number = Number(/^#?([1-9]\d{0,8})$/.exec(word)?.[1])
  if (number) return number
  throw new BatonError(
    'usage',
    `ISSUE must be a number such as 42, or next, ready, done, release or takeover, not '${word}'`,
    {
      remedy: 'See `baton claim --help`.',
    },
  )
}
