/** The start of one of Baton's own ids, such as `ask_k3f92m1x`: every command accepts it. Anything else stays as it is. */
export const shortId = (id: string): string => /^[a-z]{3}_[0-9a-z]{8}/.exec(id)?.[0] ?? id
