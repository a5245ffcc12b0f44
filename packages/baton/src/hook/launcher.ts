import { readFileSync } from 'node:fs'
import { PROTOCOL } from '@batonpass/contract/protocol'
import type { AgentAdapter } from '../ports/agent.ts'
import { DAEMON_FLAGS, KEPT_ENVIRONMENT } from './spawn.ts'

/** How a hook process reaches the daemon. `perl` is the fastest, `node` works wherever Baton does. */
export const TRANSPORTS = ['perl', 'curl', 'node'] as const
export type Transport = (typeof TRANSPORTS)[number]

export interface LauncherPlaces {
  home: string
  node: string
  cli: string
  daemon: string
  adapters: readonly AgentAdapter[]
  /** How long a hook that may wait for a person is allowed to take. */
  waitSeconds: number
}

/** The text of the one stable file that hook settings name. */
export function launcherText(transport: Transport, places: LauncherPlaces): string {
  return transport === 'perl' ? perl(places) : transport === 'curl' ? shell(places) : node(places)
}

/** Seconds one hook call may take, by the agent's own name of the event. */
export function hookSeconds(adapter: AgentAdapter, event: string, waitSeconds: number): number {
  const point = adapter.hooks.find(hook => hook.event === event)
  return point?.waits ? waitSeconds : (point?.seconds ?? 10)
}

interface Answer {
  agent: string
  event: string
  seconds: number
  safe: string
  /** The safe answer in a mode in which nobody would see an ask. */
  unseen: string
}

function answers({ adapters, waitSeconds }: LauncherPlaces): Answer[] {
  return adapters.flatMap(adapter =>
    adapter.hooks.map(({ event }) => ({
      agent: adapter.name,
      event,
      seconds: hookSeconds(adapter, event, waitSeconds),
      safe: JSON.stringify(adapter.encode(adapter.safe(event, 'default'), event)),
      unseen: JSON.stringify(adapter.encode(adapter.safe(event, 'bypass'), event)),
    })),
  )
}

/** The agent's own names of the modes in which an ask would be waved through. */
function unseenModes(adapter: AgentAdapter): string[] {
  const asks = adapter.hooks.map(({ event }) => event)
  return Object.entries(adapter.modes)
    .filter(([, mode]) =>
      asks.some(event => {
        const decision = adapter.safe(event, mode).permission?.decision
        return decision === 'deny' && adapter.safe(event, 'default').permission?.decision !== 'deny'
      }),
    )
    .map(([native]) => native)
}

function perl(places: LauncherPlaces): string {
  const quoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  const byAgent = places.adapters.map(adapter => {
    const rows = answers({ ...places, adapters: [adapter] }).map(
      a => `        '${quoted(a.event)}' => [${a.seconds}, '${quoted(a.safe)}', '${quoted(a.unseen)}'],`,
    )
    return `    '${adapter.name}' => {\n${rows.join('\n')}\n    },`
  })
  const unseen = places.adapters.flatMap(adapter => {
    const modes = unseenModes(adapter)
    return modes.length > 0 ? [`    '${adapter.name}' => '${modes.map(quoted).join('|')}',`] : []
  })
  return fill('launcher.pl', {
    PROTOCOL: String(PROTOCOL),
    HOME: quoted(places.home),
    NODE: quoted(places.node),
    CLI: quoted(places.cli),
    DAEMON: quoted(places.daemon),
    KEPT: KEPT_ENVIRONMENT,
    FLAGS: DAEMON_FLAGS.map(flag => `'${quoted(flag)}'`).join(', '),
    ANSWERS: byAgent.join('\n'),
    UNSEEN: unseen.join('\n'),
  })
}

function shell(places: LauncherPlaces): string {
  const quoted = (text: string) => text.replaceAll("'", `'\\''`)
  const rows = answers(places).map(
    a =>
      `  ${a.agent}/${a.event}) limit=${a.seconds} safe='${quoted(a.safe)}' unseen='${quoted(a.unseen)}' ;;`,
  )
  const modes = [...new Set(places.adapters.flatMap(unseenModes))]
  const unseen = modes.flatMap(mode => [
    `*'"permission_mode":"${mode}"'*`,
    `*'"permission_mode": "${mode}"'*`,
  ])
  return fill('launcher.sh', {
    PROTOCOL: String(PROTOCOL),
    HOME: quoted(places.home),
    NODE: quoted(places.node),
    CLI: quoted(places.cli),
    ANSWERS: rows.join('\n'),
    UNSEEN: unseen.length > 0 ? `  ${unseen.join(' | ')}) safe=$unseen ;;` : '  "") ;;',
  })
}

function node({ node, cli }: LauncherPlaces): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    '#!/bin/sh',
    "# Baton's hook client, written by `baton init`.",
    `NODE=${quoted(node)}`,
    '[ -x "$NODE" ] || NODE=node',
    `exec "$NODE" ${quoted(cli)} hook \${BATON_INLINE:+--inline} "$@"`,
    '',
  ].join('\n')
}

function fill(template: string, values: Record<string, string>): string {
  const text = readFileSync(new URL(`./${template}`, import.meta.url), 'utf8')
  // A function as replacement: values may hold `$&` and the like.
  return text.replace(/@@([A-Z]+)@@/g, (_, name: string) => values[name] ?? '')
}
