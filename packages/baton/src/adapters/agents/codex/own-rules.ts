import { join } from 'node:path'
import type { RulePlace } from '../../../ports/agent.ts'
import { codexFolder } from './trust.ts'

/**
 * Why Codex itself must see a command's own text: its rules would not match the text that runs the sandbox, and patches it
 * carries out itself. Matches too much rather than too little.
 */
export function whyOwnText(command: string, place: RulePlace): string | undefined {
  // Codex takes it out of the command; inside there is no such program.
  if (/\bapply_patch\b|\bapplypatch\b/.test(command)) return 'Codex applies patches itself'
  for (const folder of [codexFolder(place), join(place.project, '.codex'), '/etc/codex']) {
    const rules = join(folder, 'rules')
    for (const name of place.names(rules)) {
      const text = name.endsWith('.rules') ? place.read(join(rules, name)) : undefined
      const rule = text === undefined ? undefined : rulesIn(text).find(each => mayMatch(each, command))
      if (rule !== undefined) return `Codex's own rules may refuse it or ask (${join(rules, name)})`
    }
  }
  const { kind, network } = policyOf(place) ?? { kind: 'unknown', network: true }
  if (kind === 'danger-full-access' || !network) return undefined
  return `Codex's own sandbox is on and has the network, or Baton cannot tell (${kind})`
}

/** Codex's sandbox, as the turn in its transcript says: `/permissions` changes it while Codex runs. */
export function ownSandbox(place: RulePlace): string | undefined {
  const kind = policyOf(place)?.kind
  return kind === 'read-only' || kind === 'workspace-write' ? `Codex's own sandbox (${kind})` : undefined
}

interface Policy {
  kind: string
  network: boolean
}

function policyOf({ lastInTranscript }: RulePlace): Policy | undefined {
  try {
    const { payload } = JSON.parse(lastInTranscript('"type":"turn_context"') ?? '')
    const { type, mode, network_access: network = false } = payload.sandbox_policy
    const kind: unknown = type ?? mode
    const isKnown = kind === 'read-only' || kind === 'workspace-write' || kind === 'danger-full-access'
    return isKnown ? { kind, network: network !== false } : undefined
  } catch {
    return undefined
  }
}

/** The calls in a rules file that forbid something or ask. */
function rulesIn(text: string): string[] {
  const plain = text.replace(/^\s*#.*$/gm, '')
  return plain.split(/(?=\bprefix_rule\s*\()/).filter(rule => /["'](?:forbidden|prompt)["']/.test(rule))
}

/** By the words that its pattern may start with: one word, or a list of alternatives. */
function mayMatch(rule: string, command: string): boolean {
  const [, list, word] = /pattern\s*=\s*\[\s*(?:\[([^\]]*)\]|(["'][^"']*["']))/.exec(rule) ?? []
  const words = (list ?? word ?? '').match(/["']([^"']*)["']/g)?.map(quoted => quoted.slice(1, -1)) ?? []
  if (words.length === 0) return true
  const plain = command.replace(/['"\\]/g, '')
  return words.some(each => plain.includes(each))
}
