import type { HandoffFinding } from '@batonpass/contract/handoff'
import type { ReadTest } from '../session/transcript/collect-facts.ts'
import type { ReadHandoff } from './document/parse.ts'
import type { Evidence } from './evidence.ts'
import { verifyHandoff } from './verify.ts'

/** What must be corrected before a document may be used: by its form, and by the evidence. */
export function documentErrors(
  written: ReadHandoff,
  evidence: Evidence,
  readTest: ReadTest,
): HandoffFinding[] {
  const isTest = (command: string) => readTest(command, false, '') !== undefined
  const all = [...written.findings, ...verifyHandoff(written.document, evidence, isTest)]
  return all.filter(({ weight }) => weight === 'wrong')
}
