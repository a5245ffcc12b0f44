/** The folder of a project's handoff documents. */
export const HANDOFFS_FOLDER = '.bmad/handoffs'
/** The folder of their ledgers, which have the same names. */
export const LEDGERS_FOLDER = '.bmad/handoff-facts'

/** `handoff-YYYY-MM-DD-HH-MM.md` in local time; a second document in the same minute ends in `-2`. */
export function handoffName(now: number, nth = 1): string {
  const { day, hour, minute } = localTimeParts(now)
  return `handoff-${day}-${hour}-${minute}${nth > 1 ? `-${nth}` : ''}.md`
}

export const isHandoffName = (name: string): boolean => NAME.test(name)

/** Sorts document names, oldest first. */
export function compareByAge(a: string, b: string): number {
  const [, atA = '', nthA = '1'] = NAME.exec(a) ?? []
  const [, atB = '', nthB = '1'] = NAME.exec(b) ?? []
  return atA < atB ? -1 : atA > atB ? 1 : Number(nthA) - Number(nthB)
}

/** The time in the form of the document's **Created** field. */
export function formatCreated(now: number): string {
  const { day, hour, minute, second } = localTimeParts(now)
  return `${day} ${hour}:${minute}:${second}`
}

const NAME = /^handoff-(\d{4}-\d\d-\d\d-\d\d-\d\d)(?:-([1-9]\d{0,3}))?\.md$/

function localTimeParts(now: number) {
  const time = new Date(now)
  const two = (n: number) => String(n).padStart(2, '0')
  return {
    day: `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`,
    hour: two(time.getHours()),
    minute: two(time.getMinutes()),
    second: two(time.getSeconds()),
  }
}
