import type { StageName } from '@batonpass/contract/work'
import { BUILD_TEXTS } from './build-texts.ts'
import { REVIEW_TEXTS } from './review-texts.ts'
import type { StageText } from './stage-text.ts'

export const textOf = (stage: StageName): StageText => TEXTS[stage]

const TEXTS: Record<StageName, StageText> = { ...BUILD_TEXTS, ...REVIEW_TEXTS }
