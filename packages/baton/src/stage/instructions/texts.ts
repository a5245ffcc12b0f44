import type { StageName } from '@batonpass/contract/work'
import { BUILD_TEXTS } from './build-texts.ts'
import { REVIEW_TEXTS } from './review-texts.ts'

/** What one stage's agent is told, beside how it hands over. */
export interface StageText {
  /** When to use this agent, in a sentence. */
  description: string
  body: string
}

export const textOf = (stage: StageName): StageText => TEXTS[stage]

const TEXTS: Record<StageName, StageText> = { ...BUILD_TEXTS, ...REVIEW_TEXTS }
