/** Said with a refusal where the agent has no way of asking its person from a hook. */
export const noQuestion = (agent: string): string =>
  `A person must decide this, and ${agent} cannot ask one from a hook, so the call was stopped. Do not repeat it: continue without it, or tell the person what you need.`

/** The reason of the safe refusal where no daemon can be asked. */
export const refusedUnasked = (agent: string): string =>
  `Baton could not be asked about this call, and ${agent} cannot ask a person from a hook, so it is refused. \`baton doctor\` says what is wrong.`
