import { z } from 'zod'

/** What Baton notifies people about, apart from questions. */
export const NoticeKind = z.enum(['needs-input', 'ended', 'pr-ready', 'handoff', 'trouble'])
export type NoticeKind = z.infer<typeof NoticeKind>
