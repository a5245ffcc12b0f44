import type { Clock } from '../ports/clock.ts'

/** Keeps the newest answers for a while, each under exactly the question it was given to. */
export class AnswerMemory<T> {
  readonly #clock: Clock
  readonly #most: number
  readonly #keepMs: number
  readonly #answers = new Map<string, { answer: T; at: number }>()

  constructor(clock: Clock, { most, keepMs }: { most: number; keepMs: number }) {
    this.#clock = clock
    this.#most = most
    this.#keepMs = keepMs
  }

  get(question: string): T | undefined {
    const found = this.#answers.get(question)
    if (!found) return undefined
    this.#answers.delete(question)
    const age = this.#clock.now() - found.at
    // A clock that was set back must not make an answer live longer.
    if (age < 0 || age >= this.#keepMs) return undefined
    this.#answers.set(question, found)
    return found.answer
  }

  put(question: string, answer: T): void {
    this.#answers.delete(question)
    this.#answers.set(question, { answer, at: this.#clock.now() })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= this.#most) break
      this.#answers.delete(oldest)
    }
  }

  get size(): number {
    return this.#answers.size
  }
}
