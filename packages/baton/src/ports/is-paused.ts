/** Whether a person paused Baton for this session or project, or on the whole machine. */
export type IsPaused = (about: { session?: string | undefined; project?: string | undefined }) => boolean
