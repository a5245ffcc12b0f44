import type { Entry } from '@batonpass/contract/journal'
import type { Finding } from './assess-health.ts'

/** The health finding for a cycle entry; undefined for an intermediate step. */
export function handoffFinding({ body }: Pick<Entry, 'body'>): (Finding & { action: string }) | undefined {
  if (body.kind !== 'cycle') return undefined
  const { what, percent, document, tookMs, reason, from, to, verified } = body
  const details = {
    ...(percent === undefined ? {} : { context_at_trigger: percent / 100 }),
    ...(document === undefined ? {} : { handoff_file: document }),
    ...(tookMs === undefined ? {} : { cycle_duration_ms: tookMs }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  switch (what) {
    case 'completed':
      if (verified === false)
        return {
          check: 'handoff',
          status: 'warning',
          message:
            'not verified: the agent wrote no document and has no transcript. Check that the new session has the goal',
          details,
          action: 'Automated handoff cycle completed without verification',
        }
      return {
        check: 'handoff',
        status: 'ok',
        message: '',
        details,
        action: 'Automated handoff cycle completed successfully',
      }
    case 'failed':
    case 'person': {
      const error = reason ?? 'the cycle did not succeed'
      return {
        check: 'handoff',
        status: 'critical',
        message: error,
        details: { ...details, error },
        action: 'Manual intervention required',
      }
    }
    case 'warned': {
      const message = reason ?? 'several handoffs in a short time'
      return { check: 'context', status: 'warning', message, details, action: 'Handoff threshold raised' }
    }
    default:
      return undefined
  }
}
