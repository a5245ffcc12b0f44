/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Inserts an item into a list that is in order, and keeps the order. */
export function insertSorted<T>(list: T[], item: T, order: (a: T, b: T) => number): void {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (order(list[middle] as T, item) <= 0) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, item)
}

/** Gives items back by time; those of the same time in the order in which they came. */
export class Heap<T> {
  readonly #items: { at: number; nth: number; item: T }[] = []
  #count = 0

  push(at: number, item: T): void {
    const items = this.#items
    let place = items.push({ at, nth: this.#count++, item }) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#isBefore(place, parent)) break
      this.#swap(place, parent)
      place = parent
    }
  }

  pop(): { at: number; item: T } | undefined {
    const items = this.#items
    const [first] = items
    const last = items.pop()
    if (!first || !last || first === last) return first
    items[0] = last
    for (let place = 0; ; ) {
      const [left, right] = [place * 2 + 1, place * 2 + 2]
      let least = left < items.length && this.#isBefore(left, place) ? left : place
      if (right < items.length && this.#isBefore(right, least)) least = right
      if (least === place) return first
      this.#swap(place, least)
      place = least
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]]
    return !!one && !!other && (one.at - other.at || one.nth - other.nth) < 0
  }

  #swap(a: number, b: number): void {
    const items = this.#items
    const [one, other] = [items[a], items[b]]
    if (one && other) [items[a], items[b]] = [other, one]
  }
}
