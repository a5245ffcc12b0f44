import { existsSync } from 'node:fs'
import { sandboxingOf } from '../adapters/agents/registry.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { cwdOf } from '../permission/ask-for.ts'
import { containmentPlace } from '../permission/containment.ts'
import { brokerFor, ownerOfRules } from '../permission/own-rules.ts'
import { canRunInside, type SandboxLink } from '../permission/sandbox-link.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { composeAccess } from './access.ts'
import { type processReader, rulePlace } from './agent-place.ts'
import type { Ground } from './ground.ts'
import type { Rewrites } from './rewrites.ts'

interface SandboxParts {
  sandboxes: Sandboxes
  access: ReturnType<typeof composeAccess>
  rewrites: Rewrites
  processOf: ReturnType<typeof processReader>
}

/** What the permission chain asks and tells the sandbox about a command. */
export function composeSandboxLink(
  ground: Ground,
  { sandboxes, access, rewrites, processOf }: SandboxParts,
): SandboxLink {
  const { env, home } = ground
  const hasRegistries = async (pid: number | undefined) => {
    const status = await sandboxes.probe()
    const own = (await processOf(pid))?.env ?? {}
    return status.available && status.capabilities.sharedLoopback && !hasOwnProxy(own)
  }

  return {
    takes(event, { config, session, isRewritable, isContained, project }) {
      const mode = event.mode ?? session.mode
      return (
        (isRewritable === true || isContained === true) &&
        !event.fixed &&
        canRunInside(event, sandboxingOf(event.agent), mode, project, config)
      )
    },
    async whyUnavailable() {
      const status = await sandboxes.probe()
      return status.available ? undefined : `${status.reason} ${status.remedy}`
    },
    async ownRules(event, context) {
      // It runs as it is, so the agent sees its text.
      if (context.isContained) return undefined
      const known = sandboxingOf(event.agent)
      if (!known || event.action.kind !== 'shell') return 'user'
      const { command } = event.action
      return ownerOfRules(
        (text, place) => known.whyOwnText(text, place),
        command,
        await rulePlace(event, context, ground, processOf),
      )
    },
    async askRule(event, context) {
      if (context.isContained || event.action.kind !== 'shell') return undefined
      const place = await rulePlace(event, context, ground, processOf)
      return sandboxingOf(event.agent)?.whyAsk?.(event.action.command, place)
    },
    ownSandbox: async (event, context) =>
      context.isContained
        ? { name: 'the sandbox, with the whole agent', hasNetwork: true }
        : sandboxingOf(event.agent)?.ownSandbox?.(await rulePlace(event, context, ground, processOf)),
    rewriteState: (event, { session }) => rewrites.stateOf(event, session),
    place: async (event, context) =>
      containmentPlace(
        {
          worktree: context.project,
          cwd: cwdOf(event, context),
          home,
          broker: brokerFor(event, context, sandboxingOf(event.agent)),
          hasRegistries: await hasRegistries(context.session.pid),
        },
        { ...context.config, sandbox: await access.settingsFor(event.session, context) },
        realpath,
      ),
    ports: { ...gitUnnamedWrites, exists: existsSync },
    openedHosts: access.grantedHosts,
    async prepare(event, context, release) {
      const known = sandboxingOf(event.agent)
      if (!known || event.action.kind !== 'shell') return { ok: false, reason: 'This is not a command.' }
      const agentEnv = (await processOf(context.session.pid))?.env ?? env
      const result = await sandboxes.prepare({
        session: event.session,
        worktree: context.project,
        cwd: cwdOf(event, context),
        text: event.action.command,
        shell: known.shellOf(agentEnv, name => onPath(name, agentEnv) !== undefined),
        freshShell: known.freshShell,
        path: agentEnv.PATH ?? env.PATH ?? '',
        settings: await access.settingsFor(event.session, context),
        release,
      })
      if (!result.ok) return { ok: false, reason: result.reason }
      const { id, text } = result.prepared
      await rewrites.handOver(event, context.session, { id, command: event.action.command, text })
      return { ok: true, id, text }
    },
    discard: (session, id) => sandboxes.discard(session, id),
    dialogOpened: (session, id) => sandboxes.dialogOpened(session, id),
  }
}
