import type { StageName } from '@batonpass/contract/work'
import { STAGES } from '../packs/paw/stage-table.ts'

/** A prompt that is a command of staged work, not a task. */
export type WorkCommand =
  | { kind: 'stage'; stage: StageName; phase?: number; instruction?: string }
  | { kind: 'continue'; phase?: number; instruction?: string }
  | { kind: 'status' }
  | { kind: 'help'; topic?: string }
  | { kind: 'list' }
  | { kind: 'comments'; instruction?: string }
  | { kind: 'feedback'; instruction: string }
  | { kind: 'prompt'; stage: StageName; phase?: number; instruction?: string }

/** Longer prompts are tasks, not commands. */
const MAX_LENGTH = 4000

/**
 * Reads a prompt as a command; undefined if it is not one. `from` is the stage in which it was typed: in the specification
 * stage `research` means the spec research, anywhere else the code research.
 */
export function parseCommand(prompt: string, from: StageName | undefined): WorkCommand | undefined {
  if (prompt.length > MAX_LENGTH) return undefined
  const text = prompt
    .trim()
    .replace(/^`([^`]*)`$/, '$1')
    .trim()
  const feedback = /^feedback\s*:\s*([\s\S]*)$/i.exec(text)?.[1]
  if (feedback !== undefined) return { kind: 'feedback', instruction: feedback.trim() }
  const asked = question(text)
  if (asked) return asked
  const { head, instruction } = split(stripPoliteWords(text))
  const more = instruction ? { instruction } : {}
  const words = head
    .toLowerCase()
    .replace(/[.!?]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (/^(?:address (?:the |review |pr |all )*comments|check (?:the )?pr)$/.test(words))
    return { kind: 'comments', ...more }
  const prompted = /^generate (?:a |the )?prompt (?:file )?for (?:the )?(.+)$/.exec(words)?.[1]
  if (prompted !== undefined) {
    const target = targetOf(prompted, from)
    return target && { kind: 'prompt', ...target, ...more }
  }
  const going = /^continue(?: (?:with )?phase (\d{1,3}))?$/.exec(words)
  if (going) return { kind: 'continue', ...phaseOf(going[1]), ...more }
  if (words === 'status') return { kind: 'status' }
  if (words === 'help') return { kind: 'help', ...(instruction ? { topic: instruction } : {}) }
  const target = targetOf(words, from)
  return target && { kind: 'stage', ...target, ...more }
}

/** Questions that the Status agent answers. */
function question(text: string): WorkCommand | undefined {
  const line = text.toLowerCase().replace(/\s+/g, ' ')
  if (/^where (?:am i|are we)\b[\s?.!]*$/.test(line)) return { kind: 'status' }
  if (/^(?:what|which|list|show)\b.{0,40}\bwork items?\b.{0,40}$/.test(line)) return { kind: 'list' }
  const about =
    /^(?:what (?:does|is|are)|what'?s|how do i|how does)\b.{0,60}\b(?:paw|stages?|manual|semi-auto|auto mode|handoff mode)\b.{0,80}$/
  return about.test(line) ? { kind: 'help', topic: text.trim() } : undefined
}

/** Removes polite words in front of a command. */
const stripPoliteWords = (text: string): string =>
  text
    .replace(/^(?:(?:ok(?:ay)?|yes|please|now|then|let'?s)\b[\s,.:]*){1,3}(?=[a-z])/i, '')
    .replace(/^\/(?=[a-z])/i, '')

/**
 * Splits off the instruction: the text after the first `but` or `with`. `without` stays in the instruction, or its meaning
 * would be reversed; and `continue with Phase 2` has no instruction.
 */
function split(text: string): { head: string; instruction: string | undefined } {
  const phased = /^(implement\s+phase\s+\d{1,3}|continue(?:\s+with)?\s+phase\s+\d{1,3})\b([\s\S]*)$/i.exec(
    text,
  )
  const searched = phased?.[2] ?? text
  const start = phased?.[1] ?? ''
  const cut = /(?:^|[\s,;:—–-])\s*(but|with|without)(?=[\s,:]|$)[\s,:]*([\s\S]*)$/i.exec(searched)
  if (!cut) {
    // A prompt that names a phase is the command, whatever follows.
    const rest = phased ? searched.replace(/^[\s,;:.!?—–-]+/, '').trim() : ''
    return rest ? { head: start, instruction: rest } : { head: text, instruction: undefined }
  }
  const between = searched.slice(0, cut.index).replace(/[\s,;:—–-]+$/, '')
  const word = (cut[1] ?? '').toLowerCase()
  const rest = (cut[2] ?? '').trim()
  const said = rest === '' ? undefined : word === 'without' ? `without ${rest}` : rest
  if (phased && between.trim() !== '')
    return { head: start, instruction: searched.replace(/^[\s,;:—–-]+/, '').trim() }
  return { head: `${start}${between}`, instruction: said }
}

function targetOf(
  words: string,
  from: StageName | undefined,
): { stage: StageName; phase?: number } | undefined {
  const [, name = '', phase] = /^(.*?)(?: phase (\d{1,3}))?$/.exec(words) ?? []
  if (name === 'research') return { stage: from === 'spec' ? 'spec-research' : 'code-research' }
  const row = STAGES.find(
    each =>
      each.words.includes(name) || NAMES[each.stage]?.includes(name) || each.agent.toLowerCase() === name,
  )
  if (!row || (phase !== undefined && !PHASED.includes(row.stage))) return undefined
  return { stage: row.stage, ...phaseOf(phase) }
}

const PHASED: readonly StageName[] = ['implement', 'review']

/** Other names that people use for the agents, in addition to the table's words. */
const NAMES: Partial<Record<StageName, readonly string[]>> = {
  'spec-research': ['spec research', 'spec researcher'],
  'code-research': ['code research', 'code researcher', 'research code'],
  plan: ['impl planner', 'implementation plan', 'implementation planner'],
  implement: ['implementer', 'implementation'],
  review: ['impl reviewer', 'implementation review', 'implementation reviewer'],
  docs: ['documentation'],
  pr: ['final-pr'],
}

const phaseOf = (digits: string | undefined): { phase?: number } =>
  digits === undefined || Number(digits) < 1 ? {} : { phase: Number(digits) }
