/** Where the documents stand in a project. */
export const HANDOFFS = '.bmad/handoffs'

/** `handoff-YYYY-MM-DD-HH-MM.md`, on this machine's clock; the second in the same minute ends in `-2`. */
export function handoffName(now: number, nth = 1): string {
  const { day, hour, minute } = partsOf(now)
  return `handoff-${day}-${hour}-${minute}${nth > 1 ? `-${nth}` : ''}.md`
}

export const isHandoffName = (name: string): boolean => NAME.test(name)

/** Oldest first. */
export function byAge(a: string, b: string): number {
  const [, atA = '', nthA = '1'] = NAME.exec(a) ?? []
  const [, atB = '', nthB = '1'] = NAME.exec(b) ?? []
  return atA < atB ? -1 : atA > atB ? 1 : Number(nthA) - Number(nthB)
}

/** As the document's head says it. */
export function createdText(now: number): string {
  const { day, hour, minute, second } = partsOf(now)
  return `${day} ${hour}:${minute}:${second}`
}

const NAME = /^handoff-(\d{4}-\d\d-\d\d-\d\d-\d\d)(?:-([1-9]\d{0,3}))?\.md$/

function partsOf(now: number) {
  const time = new Date(now)
  const two = (n: number) => String(n).padStart(2, '0')
  return {
    day: `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`,
    hour: two(time.getHours()),
    minute: two(time.getMinutes()),
    second: two(time.getSeconds()),
  }
}
