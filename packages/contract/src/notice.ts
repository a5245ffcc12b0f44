import { z } from 'zod'

/** What people are told of beside questions. */
export const NoticeKind = z.enum(['needs-input', 'ended', 'pr-ready', 'handoff', 'trouble'])
export type NoticeKind = z.infer<typeof NoticeKind>
