/** Increased when the envelope changes shape. The daemon supports this version and the previous one. */
export const PROTOCOL = 1
export const OLDEST_PROTOCOL = 1

/** The largest hook payload the daemon reads. */
export const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024
