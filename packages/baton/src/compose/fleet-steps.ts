import { CLAIM_FILE } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { launchesOf } from '../adapters/agents/launches.ts'
import { systemGit } from '../adapters/git/git.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Claims } from '../claim/claims.ts'
import { queueNews } from '../claim/deliver-news.ts'
import type { ClaimPorts } from '../claim/ports.ts'
import type { FleetPorts } from '../fleet/ports.ts'
import { HANDOFFS_FOLDER, isHandoffName } from '../handoff/document-name.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import type { Redactor } from '../journal/redact.ts'
import type { StartWorkflow } from './baton.ts'
import type { Ground } from './ground.ts'
import type { Sessions } from './sessions.ts'

type ClaimSteps = Pick<
  FleetPorts,
  | 'claim'
  | 'claimOf'
  | 'holdsClaim'
  | 'forgetLostClaim'
  | 'releaseClaim'
  | 'resumeReview'
  | 'keepTask'
  | 'pushWork'
>

/** What the fleet does with the claim of a clone. */
export function claimSteps(claims: Claims, ports: ClaimPorts): ClaimSteps {
  async function holdsClaim(clone: string): Promise<boolean> {
    try {
      await claims.checkLease(clone)
      return true
    } catch (cause) {
      if (cause instanceof BatonError && (cause.code === 'claim_lost' || cause.code === 'not_found'))
        return false
      throw cause
    }
  }

  return {
    holdsClaim,
    claimOf: async clone => (await claims.at(clone))?.id,
    async claim(clone, issue, takesOver) {
      // What is left of a claim that another machine took over: only files of this machine.
      if ((await claims.at(clone))?.lease.lost) await claims.release(clone, issue, 'another machine had it')
      const takeover = takesOver === undefined ? undefined : { claim: takesOver }
      const order = { project: clone, issue, worktree: false, anyway: false, session: undefined, takeover }
      return (await claims.claim(order)).claim.id
    },
    async forgetLostClaim(clone, issue, why) {
      if ((await claims.at(clone)) && !(await holdsClaim(clone))) await claims.release(clone, issue, why)
    },
    async releaseClaim(clone, issue, why) {
      // The check notes a claim that is lost: then only files of this machine are deleted.
      if (await claims.at(clone)) await holdsClaim(clone).then(() => claims.release(clone, issue, why))
    },
    async keepTask(clone) {
      const record = await claims.at(clone)
      const text =
        'The fleet was stopped while an agent changed this branch. Look at git status and git log, and finish what is missing.'
      if (record) await queueNews(ports, record, { kind: 'resumed', text, act: true })
    },
    async resumeReview(clone, issue) {
      if ((await claims.at(clone))?.pr) return
      // As if its agent had handed it off: Baton proves the branch again and finds its pull request.
      const changed = await ports.signals.change(clone, file =>
        file.pr_number === null
          ? { ...file, phase: 'ready_for_pr', summary: file.summary || `Issue #${issue}` }
          : file,
      )
      if (!changed) throw new BatonError('claim_refused', `${clone} has no ${CLAIM_FILE}`)
    },
    async pushWork(clone) {
      const record = await claims.at(clone)
      if (!record || record.lease.lost || record.adopted) return
      const position = await systemGit.readPosition(clone)
      // Without an upstream nothing was pushed yet.
      const isThere = position?.ahead === undefined ? position?.head === record.base : position.ahead === 0
      if (position?.branch !== record.branch || isThere) return
      await ports.outside.pushBranch(record, await ports.loginFor(record.home).catch(() => undefined))
    },
  }
}

/** Documents larger than this are not stored for other machines. */
const MAX_DOCUMENT = 64 * 1024

/** What one machine leaves for the next one's agent. */
export function handoffSteps(
  redactor: Redactor,
  ports: ClaimPorts,
): Pick<FleetPorts, 'handDown' | 'newestHandoff'> {
  const documents = new HandoffFiles(systemSmallFiles, systemGit, redactor)
  return {
    async newestHandoff(clone) {
      for (const name of (await documents.list(clone)).reverse()) {
        // Only what Baton has verified has a ledger.
        if (!(await documents.ledger(clone, name))) continue
        const text = redactor.text(await documents.text(clone, name))
        return text.length <= MAX_DOCUMENT ? { name, text } : undefined
      }
      return undefined
    },
    async handDown(clone, handoff) {
      const isSound = handoff && isHandoffName(handoff.name)
      if (isSound) {
        await documents.hide(clone)
        await systemSmallFiles.write(clone, `${HANDOFFS_FOLDER}/${handoff.name}`, handoff.text, {
          shared: true,
        })
      }
      const record = await ports.records.at(clone)
      if (!record) return
      const document = isSound
        ? ` Read its last handoff document first: ${HANDOFFS_FOLDER}/${handoff.name}.`
        : ''
      const text = `Another machine began this issue and vanished. Its branch ${record.branch} is checked out with every commit it pushed.${document} Look at git log and git diff before you continue; do not start again.`
      await queueNews(ports, record, { kind: 'resumed', text, act: false })
    },
  }
}

const WORKFLOW = 'issue-to-impl'

/** How the fleet starts and ends agents. */
export function agentSteps(
  { env, home, fault }: Ground,
  { sessions, startWorkflow }: { sessions: Sessions; startWorkflow?: StartWorkflow | undefined },
): Pick<FleetPorts, 'startAgent' | 'obstacleTo' | 'endAgent'> {
  return {
    async startAgent({ agent, clone, project, issue, terminal }) {
      const launches = launchesOf(agent)
      // A clone of what the user trusts, with the same remote.
      await launches.inheritTrust?.(clone, project, { home, configFolder: env.CLAUDE_CONFIG_DIR })
      const start = startWorkflow?.(agent, WORKFLOW, String(issue), clone)
      await sessions.run({
        agent: launches.agent,
        driver: 'tmux',
        cwd: clone,
        title: terminal,
        prompt: start?.prompt ?? `/${WORKFLOW} ${issue}`,
        args: start?.args ?? [],
        env: {},
        tools: false,
      })
    },
    obstacleTo(agent) {
      const missing = ['tmux', launchesOf(agent).interactive({}).program].find(
        program => !program.includes('/') && !onPath(program, env),
      )
      return missing && `${missing} is not installed`
    },
    async endAgent(terminal) {
      await sessions.kill(terminal).catch(cause => {
        if (!(cause instanceof BatonError) || cause.code !== 'not_found') fault('ending an agent', cause)
      })
    },
  }
}
