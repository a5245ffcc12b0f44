import { type BenchSession, type Fact, randomFrom } from './sessions.ts'

/** How the model behaves when it is asked for the handoff document. */
export const BEHAVIORS = ['diligent', 'omits 30 %', 'lazy', 'silent', 'crash'] as const
export type Behavior = (typeof BEHAVIORS)[number]

/** The document that the model writes; undefined if it writes none. */
export function documentOf(session: BenchSession, behavior: Behavior): string | undefined {
  const random = randomFrom(`${session.id} ${behavior}`)
  switch (behavior) {
    case 'diligent':
      return writtenDocument(session.facts)
    case 'omits 30 %':
      return writtenDocument(session.facts.filter(() => random() >= 0.3))
    case 'lazy':
      return writtenDocument([])
    default:
      return undefined
  }
}

/** The sections to which a sentence can be added. */
export type Where = 'completed' | 'critical' | 'notes' | 'next' | 'decision' | 'constraint' | 'blockers'

/** A document in the file form with these facts. `extra` adds points to sections. */
export function writtenDocument(
  facts: readonly Fact[],
  extra: Partial<Record<'front' | Where, string>> = {},
): string {
  const of = (...classes: Fact['class'][]) =>
    facts.filter(fact => classes.includes(fact.class)).map(({ text }) => text)
  const list = (items: readonly (string | undefined)[]) => {
    const given = items.filter(item => item !== undefined)
    return given.length > 0 ? given.map(item => `- ${item}`).join('\n') : '- None'
  }
  const done = [
    ...of('done todo').map(text => `[x] ${text}`),
    ...(extra.completed ? [`[x] ${extra.completed}`] : []),
  ]
  return `---
branch: main
${extra.front ?? ''}---

# Handoff Document

**Created**: 2026-01-22 14:30:00
**Context Usage**: 87%
**Project**: work

## Current Work

**Active Epic**: The work
**Progress**: underway
**Current Task**: continue

## Completed Since Last Handoff

${list(done)}

## Next Steps

1. ${of('next step')[0] ?? 'Continue the work'}
${[...of('open todo'), ...(extra.next ? [extra.next] : [])].map((text, i) => `${i + 2}. ${text}`).join('\n')}

## Critical State

${list([...of('failing test', 'last command', 'environment', 'git state'), extra.critical])}

## Blockers / Issues

${list([extra.blockers])}

## Notes

${list([...of('subagent result', 'dead end'), extra.notes])}

## Goal

${of('goal')[0] ?? ''}

## Constraints & Preferences

${list([...of('instruction'), extra.constraint])}

## Key Decisions

${list([...of('decision'), extra.decision])}
`
}
