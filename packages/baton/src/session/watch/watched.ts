import type { Seen } from './assess-health.ts'
import type { Subject } from './subjects.ts'

/** A subject with what was seen of it. */
export interface Watched extends Subject, Seen {}
