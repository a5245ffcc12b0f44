import { join } from 'node:path'
import type { AgentOwnSandbox, RulePlace } from '../../../ports/agent.ts'
import { hasWord } from '../command-rules.ts'
import { readShellCall } from './shell-call.ts'
import { codexFolder } from './trust.ts'

/**
 * Why Codex itself must see a command's own text: its rules would not match the text that runs the sandbox, and patches it
 * carries out itself. Matches too much rather than too little.
 */
export function whyOwnText(command: string, place: RulePlace): string | undefined {
  // Codex takes it out of the command; inside there is no such program.
  if (/\bapply_patch\b|\bapplypatch\b/.test(command)) return 'Codex applies patches itself'
  const { kind, network } = policyOf(place) ?? UNKNOWN
  const isUnboxed = kind === 'danger-full-access' || leavesForBaton(place)
  for (const folder of [codexFolder(place), join(place.project, '.codex'), '/etc/codex']) {
    const rules = join(folder, 'rules')
    for (const name of place.names(rules)) {
      const text = name.endsWith('.rules') ? place.read(join(rules, name)) : undefined
      // What a rule allows leaves Codex's own sandbox without a word.
      const rule =
        text === undefined ? undefined : rulesIn(text, isUnboxed).find(each => mayMatch(each, command))
      if (rule !== undefined) return `Codex's own rules may decide about it (${join(rules, name)})`
    }
  }
  if (isUnboxed || !network) return undefined
  return `Codex's own sandbox is on and has the network, or Baton cannot tell (${kind})`
}

/**
 * Codex's sandbox, as the turn in its transcript says: `/permissions` changes it while Codex runs. A command that asks to
 * leave it runs in Baton's.
 */
export function ownSandbox(place: RulePlace): AgentOwnSandbox | undefined {
  const { kind, canLeave } = policyOf(place) ?? UNKNOWN
  const name = `Codex's own sandbox (${kind})`
  // Who chose that nothing is written without a question is asked.
  if (kind === 'read-only') return { name }
  if (kind !== 'workspace-write' || leavesForBaton(place)) return undefined
  return { name, withoutNetwork: `${name} has no network. ${canLeave ? TO_LEAVE : NO_WAY_OUT}` }
}

/** For the model, whose tool has these parameters. */
const TO_LEAVE =
  'Run this command again with `sandbox_permissions: "require_escalated"` and a short `justification`: it then runs in Baton\'s sandbox, and Baton does what has to leave it. Do the same with git commands that write, such as `git commit`: `.git` is read-only otherwise.'
const NO_WAY_OUT =
  "Codex never asks for approval here, so no command can leave it, and `.git` is read-only. Tell the user to start Codex in a terminal, or with `--sandbox danger-full-access`: its commands then run in Baton's sandbox."

const leavesForBaton = (place: RulePlace): boolean =>
  policyOf(place)?.kind === 'workspace-write' && readShellCall(place)?.isEscalated === true

interface Policy {
  kind: string
  network: boolean
  /** Codex may ask for approval. */
  canLeave: boolean
}

const UNKNOWN: Policy = { kind: 'unknown', network: true, canLeave: false }

function policyOf({ lastInTranscript }: RulePlace): Policy | undefined {
  try {
    const { payload } = JSON.parse(lastInTranscript('"type":"turn_context"') ?? '')
    const { type, mode, network_access: network = false } = payload.sandbox_policy
    const kind: unknown = type ?? mode
    const isKnown = kind === 'read-only' || kind === 'workspace-write' || kind === 'danger-full-access'
    const canLeave = payload.approval_policy !== 'never'
    return isKnown ? { kind, network: network !== false, canLeave } : undefined
  } catch {
    return undefined
  }
}

/** The calls in a rules file: all of them, or only those that forbid something or ask. */
function rulesIn(text: string, onlyStrict: boolean): string[] {
  const plain = text.replace(/^\s*#.*$/gm, '')
  const calls = plain.split(/(?=\bprefix_rule\s*\()/).filter(rule => rule.startsWith('prefix_rule'))
  return onlyStrict ? calls.filter(rule => /["'](?:forbidden|prompt)["']/.test(rule)) : calls
}

/** By the words that its pattern may start with: one word, or a list of alternatives. */
function mayMatch(rule: string, command: string): boolean {
  const [, list, word] = /pattern\s*=\s*\[\s*(?:\[([^\]]*)\]|(["'][^"']*["']))/.exec(rule) ?? []
  const words = (list ?? word ?? '').match(/["']([^"']*)["']/g)?.map(quoted => quoted.slice(1, -1)) ?? []
  if (words.length === 0) return true
  const plain = command.replace(/['"\\]/g, '')
  return words.some(each => hasWord(plain, each))
}
