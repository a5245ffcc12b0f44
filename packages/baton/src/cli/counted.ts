/** `1 file`, `2 files`; `1 entry`, `2 entries`. */
export const counted = (n: number, what: string, many = `${what}s`): string => `${n} ${n === 1 ? what : many}`
