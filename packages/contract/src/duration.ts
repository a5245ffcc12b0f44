/** A length of time for people: `8.3 ms`, `240 ms`, `2.4 s`, `40 s`, `12 min`, `4 h 3 min`, `2 d`. */
export function duration(ms: number): string {
  const exact = Math.max(0, ms)
  if (exact < 10) return `${tenths(exact)} ms`
  if (exact < 999.5) return `${Math.round(exact)} ms`
  if (exact < 9950) return `${tenths(exact / 1000)} s`
  const seconds = Math.round(exact / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

const tenths = (amount: number): number => Math.round(amount * 10) / 10
