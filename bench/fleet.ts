/**
 * A fleet in virtual time, with Baton's own code for the decisions: which job is next, what happens to a job, when the
 * lease of a machine is dead, whose merge is next. Machines die and sleep, agents fail, branches conflict.
 * With --queue: jobs per second of the real queue in a real PostgreSQL, with 1, 2, 4 and 8 workers.
 * Run: node bench/fleet.ts [--queue] [--machines 250] [--slots 4] [--issues 100000] [--repositories 2000] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { measureQueue } from './fleet/queue-rate.ts'
import { simulate } from './fleet/simulate.ts'

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '250' },
    slots: { type: 'string', default: '4' },
    issues: { type: 'string', default: '100000' },
    repositories: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    queue: { type: 'boolean', default: false },
  },
})
if (values.queue) {
  console.table(await measureQueue([1, 2, 4, 8]))
  process.exit()
}
const number = (name: keyof typeof values) => Number(values[name])
const began = performance.now()
const size = {
  machines: number('machines'),
  slots: number('slots'),
  issues: number('issues'),
  repositories: number('repositories'),
  perRepository: 2,
  seed: number('seed'),
}
const figures = simulate(size)
const seconds = (performance.now() - began) / 1000
const { wrong, overLimit, takenFromLiving, decisions, virtualHours, leadHours, busy, ...counts } = figures
const rounded = (value: number) => Math.round(value * 100) / 100
console.table({
  ...counts,
  'merged twice or lost': wrong,
  'limit exceeded': overLimit,
  'lease taken from a living machine': takenFromLiving,
  'virtual hours': rounded(virtualHours),
  'merged per virtual hour': rounded(counts.merged / virtualHours),
  'slots in use': `${Math.round(busy * 100)} %`,
  'lead time, hours (median, 95 %, longest)': [leadHours.median, leadHours.p95, leadHours.max]
    .map(rounded)
    .join(', '),
  'choices of a machine': decisions,
  'choices per second of this computer': Math.round(decisions / seconds),
  'seconds on this computer': rounded(seconds),
})
if (wrong + overLimit + takenFromLiving > 0) process.exitCode = 1
