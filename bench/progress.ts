import { MIXED_STUCK, MIXED_WORKING } from '../packages/baton/test/work/workflows/traces/mixed.ts'
import { WORKING } from '../packages/baton/test/work/workflows/traces/progress-made.ts'
import { BUSY, STUCK } from '../packages/baton/test/work/workflows/traces/stuck.ts'
import { errorRates, givesUpAt, type Trace } from '../packages/baton/test/work/workflows/traces/trace.ts'

/** How well Baton recognizes progress: both error rates on the labelled traces, compared with a plain counter. */
const traces = [...WORKING, ...MIXED_WORKING, ...STUCK, ...BUSY, ...MIXED_STUCK]
const { falseAlarms, misses } = errorRates(traces)
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`
const of = (label: Trace['label']) => traces.filter(trace => trace.label === label)
const wasted = (trace: Trace) => trace.intervals.length - 1 - (givesUpAt(trace) ?? trace.intervals.length - 1)

console.log(
  `traces: ${of('progress').length} working, ${of('stuck').length} stuck, ${of('busy').length} busy but stuck`,
)
console.log(`working runs ended by mistake: ${percent(falseAlarms.rate)} ${falseAlarms.names.join(', ')}`)
console.log(`stuck runs not noticed:        ${percent(misses.rate)} ${misses.names.join(', ')}`)
const stuck = [...of('stuck'), ...of('busy')]
const saved = stuck.reduce((sum, trace) => sum + wasted(trace), 0)
const all = stuck.reduce((sum, trace) => sum + trace.intervals.length - 1, 0)
console.log(
  `turns of stuck runs: ${all}; not run because the run was ended: ${saved}. A counter alone saves none and misses 100 %.`,
)
