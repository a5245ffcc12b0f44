import type { Received } from './handoff.ts'
import type { BenchSession, Fact, FactClass } from './sessions.ts'

/** What arrived, and what should not have. */
export class Tally {
  readonly #report: (miss: string) => void

  readonly facts = new Map<FactClass, [number, number]>()
  readonly bad = { secrets: 0, superseded: 0, injected: 0, redacted: 0, doubted: 0 }
  readonly of = { secrets: 0, superseded: 0, injected: 0, redacted: 0, doubted: 0 }
  longest = 0

  constructor(report: (miss: string) => void) {
    this.#report = report
  }

  add(session: BenchSession, received: Received): void {
    this.longest = Math.max(this.longest, received.context.length)
    for (const fact of session.facts) {
      const [kept, all] = this.facts.get(fact.class) ?? [0, 0]
      const here = has(received, fact)
      if (!here && received.stored !== '')
        this.#report(`  ${session.id} ${session.agent} ${fact.class}: ${fact.text}`)
      this.facts.set(fact.class, [kept + Number(here), all + 1])
    }
    const inForce = `${received.context}\n${received.section('instructions')}`
    this.#count('secrets', session.secrets, text => received.stored.includes(text) || inForce.includes(text))
    // An instruction that the text itself calls an earlier one, next to the one that counts, is not presented as in force.
    const points = inForce.split(/\n(?=\s*- |#)/)
    const unnoted = points.filter(point => !EARLIER.test(point)).join('\n')
    const noted = points.filter(point => EARLIER.test(point)).join('\n')
    this.#count('superseded', session.superseded, text => unnoted.includes(text))
    const told = session.facts.flatMap(fact => (fact.class === 'instruction' ? fact.text : []))
    this.#count('doubted', told, text => noted.includes(text) && !unnoted.includes(text))
    this.#count('injected', session.injected, text => inForce.includes(text))
    this.#count('redacted', session.innocent, text => !`${inForce}${received.stored}`.includes(text))
  }

  #count(kind: keyof Tally['bad'], texts: readonly string[], isBad: (text: string) => boolean): void {
    const found = texts.filter(isBad)
    if (found.length > 0) this.#report(`  ${kind}: ${found.join(' | ')}`)
    this.bad[kind] += found.length
    this.of[kind] += texts.length
  }
}

const EARLIER = / \(earlier: where it differs from “/

export const percent = (part: number, all: number): string =>
  all === 0 ? '-' : `${((part / all) * 100).toFixed(1)} %`

export function has({ context, sections }: Received, { keys }: Fact): boolean {
  const texts = [context, ...sections].map(text => text.replaceAll(/\s+/g, ' '))
  return texts.some(text => keys.every(key => text.includes(key.replaceAll(/\s+/g, ' '))))
}
