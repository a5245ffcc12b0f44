import { isAbsolute } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { CheckList, Proof, ProofList, ProofRequest } from '@batonpass/contract/proof'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { findWorktreeRoot } from '../config/project.ts'
import type { Proofs } from '../proof/proofs.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'

const MAX_BYTES = 16 * 1024

/** Proofs over the API. Requests are authenticated before they get here. */
export function proofRoutes(
  proofs: Proofs,
  acceptRun: (wanted: string, who: string) => Promise<{ end?: { reason: string } | undefined }>,
  mayAnswer: MayAnswer,
): Hono {
  const api = new Hono()
  api.get('/api/proofs', async c => {
    const { project } = c.req.query()
    return c.json(ProofList.parse({ proofs: await proofs.list(project && rootOf(project)) }))
  })
  api.get('/api/proofs/checks', async c => {
    const order = ProofRequest.parse(c.req.query())
    return c.json(CheckList.parse(await proofs.describeChecks({ ...order, project: rootOf(order.project) })))
  })
  api.get('/api/proofs/:id', async c => c.json(Proof.parse(await proofs.get(c.req.param('id')))))
  api.post('/api/proofs', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const order = ProofRequest.parse(await c.req.json().catch(() => undefined))
    return c.json(Proof.parse(await proofs.start({ ...order, project: rootOf(order.project) })))
  })
  api.post('/api/proofs/:id/cancel', async c => c.json(Proof.parse(await proofs.cancel(c.req.param('id')))))
  api.post('/api/runs/:session/accept', async c => {
    const { who } = await mayAnswer(c)
    const { end } = await acceptRun(c.req.param('session'), who)
    return c.json({ accepted: end?.reason ?? '' })
  })
  api.onError(errorResponse)
  return api
}

function rootOf(project: string): string {
  if (isAbsolute(project) && !project.includes('\0')) return findWorktreeRoot(project)
  throw new BatonError('usage', 'project must be the absolute path of a folder')
}
