/** The longest answer in a person's own words. */
export const MAX_REPLY_LENGTH = 8000
