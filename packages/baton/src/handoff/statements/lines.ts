import { HandoffDocument } from '@batonpass/contract/handoff'

/** How a line is meant: as work done, as a plan, as what the user wants, as a decision, or as a fact. */
export type Mood = 'done' | 'plan' | 'instruction' | 'decision' | 'fact'

/** One line of a document that may state something. `text` is without a mark. */
export interface Line {
  section: string
  mood: Mood
  text: string
}

/** Passes every line to `change` and returns the document with what it returned. Goal and front matter stay. */
export function mapLines(document: HandoffDocument, change: (line: Line) => string): HandoffDocument {
  const lines = (section: string, mood: Mood, text: string) =>
    text
      .split('\n')
      .map(each => (each.trim() === '' ? each : changeLine(each, section, mood, change)))
      .join('\n')
  const points = (section: string, mood: Mood, texts: readonly string[]) =>
    texts.map(text => lines(section, mood, text))
  const { work } = document
  return HandoffDocument.parse({
    ...document,
    work: {
      epic: work.epic,
      progress: lines('Current Work', 'fact', work.progress),
      task: lines('Current Work', 'plan', work.task),
    },
    completed: document.completed.map(({ text, done }) => ({
      text: lines('Completed', done ? 'done' : 'plan', text),
      done,
    })),
    nextSteps: points('Next Steps', 'plan', document.nextSteps),
    criticalState: points('Critical State', 'fact', document.criticalState),
    blockers: points('Blockers', 'fact', document.blockers),
    notes: points('Notes', 'fact', document.notes),
    constraints: points('Constraints', 'instruction', document.constraints),
    decisions: points('Key Decisions', 'decision', document.decisions),
    others: document.others.map(({ title, text }) => ({ title, text: lines(title, 'fact', text) })),
  })
}

function changeLine(line: string, section: string, mood: Mood, change: (line: Line) => string): string {
  const [, before = '', rest = line] =
    /^(\s*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?)(.*)$/.exec(line) ?? []
  return before + change({ section, mood, text: withoutMark(rest) })
}

const MARK = /^\[unverified(?:: [^\]\n]{0,400})?\] ?/

export const markLine = (text: string, reason: string): string =>
  `[unverified: ${reason.replaceAll('[', '(').replaceAll(']', ')').replaceAll(/\s+/g, ' ').slice(0, 200)}] ${text}`

export const isMarked = (text: string): boolean => MARK.test(text)

/** The text without the mark of an earlier check. */
export const withoutMark = (text: string): string => text.replace(MARK, '')

/** Sentences, never cut inside backticks. */
export function sentencesOf(text: string): string[] {
  const quoted: string[] = []
  const plain = text.replaceAll(/`[^`\n]{1,500}`/g, code => `\u0001${quoted.push(code) - 1}\u0001`)
  return plain
    .split(/(?<=[.!?;])\s+(?=\S)/)
    .map(sentence => sentence.replaceAll(/\u0001(\d+)\u0001/g, (_, n: string) => quoted[Number(n)] ?? ''))
}
